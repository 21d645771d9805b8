package io.stele.datasets.version;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.datasets.shard.ShardHash;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Writes a version into a source: one file for each shard, the manifest that declares them, and
 * {@code _SUCCESS} last. Until then {@code _unfinished} keeps servers away. One thread at a time.
 *
 * <pre>{@code
 * try (VersionWriter writer = VersionWriter.create(store, "scores", "2026-01-01", 16, TEXT, scratch, random)) {
 *   writer.put(key, value);
 *   writer.finish();
 * }
 * }</pre>
 *
 * <p>Closed without {@link #finish}, it deletes what it wrote.
 */
public final class VersionWriter implements Closeable {
  /** How records are written. */
  public enum Format {
    /** Tab-separated text: readable, but keys cannot have tabs, and nothing line feeds. */
    TEXT,
    /** Sparkey logs and indexes: any bytes. */
    SPARKEY
  }

  /** What a version consists of. */
  public record Summary(String path, int shards, long records, long bytes) {}

  private final FileStore store;
  private final FilePath directory;
  private final List<PartWriter> parts = new ArrayList<>();
  private boolean finished;
  private long records;

  private VersionWriter(FileStore store, FilePath directory) {
    this.store = store;
    this.directory = directory;
  }

  /**
   * Begins a version.
   *
   * @param store the source's root
   * @param scratch a local directory for files that are not finished; made if it is not there
   */
  public static VersionWriter create(
      FileStore store,
      String dataset,
      String version,
      int shards,
      Format format,
      Path scratch,
      RandomGenerator random)
      throws IOException {
    if (shards < 1 || shards > 100_000) {
      throw new InvalidRequestException(shards + " shards: must be from 1 to 100000");
    }
    FilePath directory =
        FilePath.of(Names.checkDataset(dataset)).resolve(Names.checkVersion(version));
    if (!store.list(directory).isEmpty()) {
      throw new InvalidRequestException(
          "version "
              + version
              + " of dataset "
              + dataset
              + " is there already, in "
              + store.describe()
              + ": versions are never changed, so choose another name");
    }
    VersionWriter writer = new VersionWriter(store, directory);
    boolean opened = false;
    store.replace(directory.resolve(Source.UNFINISHED), new byte[0]);
    try {
      for (int shard = 0; shard < shards; shard++) {
        writer.parts.add(
            switch (format) {
              case TEXT -> TextPart.create(store, directory, shard);
              case SPARKEY ->
                  SparkeyPart.create(store, directory, shard, scratch, random.nextInt());
            });
      }
      opened = true;
      return writer;
    } finally {
      if (!opened) {
        writer.close();
      }
    }
  }

  /** Adds a record; of several with one key one stays. */
  public void put(Bytes key, Bytes value) throws IOException {
    byte[] bytes = key.sharedArray();
    parts.get(ShardHash.shard(bytes, parts.size())).put(bytes, value.sharedArray());
    records++;
  }

  /** Makes the version complete. */
  public Summary finish() throws IOException {
    List<VersionManifest.DeclaredFile> files = new ArrayList<>();
    long bytes = 0;
    for (PartWriter part : parts) {
      VersionManifest.DeclaredFile file = part.finish();
      files.add(file);
      bytes += file.content().bytes();
    }
    store.replace(
        directory.resolve(VersionManifest.FILE_NAME), new VersionManifest(files).toBytes());
    store.replace(directory.resolve(Source.SUCCESS), new byte[0]);
    store.delete(directory.resolve(Source.UNFINISHED));
    finished = true;
    return new Summary(store.describe() + "/" + directory, parts.size(), records, bytes);
  }

  @Override
  public void close() throws IOException {
    if (finished) {
      return;
    }
    finished = true;
    store.delete(directory.resolve(VersionManifest.FILE_NAME));
    for (PartWriter part : parts) {
      part.abandon();
    }
    store.delete(directory.resolve(Source.UNFINISHED));
    store.delete(directory);
  }
}
