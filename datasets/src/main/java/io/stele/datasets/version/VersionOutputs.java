package io.stele.datasets.version;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.VersionOutput;
import io.stele.base.file.FileStore;
import io.stele.base.file.FileStores;
import io.stele.base.time.RandomSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Lets programs that know nothing of this module write versions. */
public final class VersionOutputs implements VersionOutput.Provider {
  @Override
  public VersionOutput create(
      String root, String dataset, String version, int shards, VersionOutput.Format format)
      throws IOException {
    FileStore store = FileStores.open(root);
    Path scratch = Files.createTempDirectory("stele-dataset");
    boolean created = false;
    try {
      VersionWriter writer =
          VersionWriter.create(
              store,
              dataset,
              version,
              shards,
              switch (format) {
                case TEXT -> VersionWriter.Format.TEXT;
                case SPARKEY -> VersionWriter.Format.SPARKEY;
              },
              scratch,
              RandomSource.system());
      created = true;
      return new Output(store, scratch, writer);
    } finally {
      if (!created) {
        delete(scratch);
        store.close();
      }
    }
  }

  private static void delete(Path scratch) throws IOException {
    List<Path> all;
    try (Stream<Path> walked = Files.walk(scratch)) {
      all = walked.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }

  private record Output(FileStore store, Path scratch, VersionWriter writer)
      implements VersionOutput {
    @Override
    public void put(Bytes key, Bytes value) throws IOException {
      writer.put(key, value);
    }

    @Override
    public Summary finish() throws IOException {
      VersionWriter.Summary made = writer.finish();
      return new Summary(made.path(), made.shards(), made.records(), made.bytes());
    }

    @Override
    public void close() throws IOException {
      try (store) {
        writer.close();
      } finally {
        delete(scratch);
      }
    }
  }
}
