package io.stele.datasets.version;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.LocalFileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.WritableFile;
import io.stele.datasets.shard.ShardFiles;
import io.stele.datasets.shard.SparkeyPair;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A shard as a Sparkey log and its index, made on this machine and copied when it is whole. */
final class SparkeyPart implements PartWriter {
  private static final String LOG = ".spl";
  private static final String INDEX = ".spi";

  private final FileStore store;
  private final FilePath directory;
  private final int shard;
  private final SparkeyPair pair;
  private final LocalFileStore scratch;

  private SparkeyPart(
      FileStore store, FilePath directory, int shard, SparkeyPair pair, LocalFileStore scratch) {
    this.store = store;
    this.directory = directory;
    this.shard = shard;
    this.pair = pair;
    this.scratch = scratch;
  }

  static SparkeyPart create(
      FileStore store, FilePath directory, int shard, Path scratch, int fileId) throws IOException {
    LocalFileStore local = LocalFileStore.open(scratch);
    SparkeyPair pair = new SparkeyPair(scratch.resolve(name(shard, LOG)), fileId);
    return new SparkeyPart(store, directory, shard, pair, local);
  }

  /** The index that belongs to a log. */
  static FilePath indexOf(FilePath log) {
    String path = log.value();
    return FilePath.of(path.substring(0, path.length() - LOG.length()) + INDEX);
  }

  private static String name(int shard, String ending) {
    return "part-" + ShardFiles.name(shard) + ending;
  }

  @Override
  public void put(byte[] key, byte[] value) throws IOException {
    pair.put(key, value);
  }

  @Override
  public VersionManifest.DeclaredFile finish() throws IOException {
    SparkeyPair.Finished finished = pair.finish();
    String log = name(shard, LOG);
    copy(log);
    copy(name(shard, INDEX));
    VersionManifest.DeclaredFile file =
        new VersionManifest.DeclaredFile(
            log, shard, pair.puts(), finished.log(), Optional.of(finished.index()));
    deleteScratch();
    return file;
  }

  private void copy(String name) throws IOException {
    try (ReadableFile from = scratch.open(FilePath.of(name));
        WritableFile to = store.create(directory.resolve(name))) {
      byte[] buffer = new byte[Math.clamp(from.length(), 1, 1 << 20)];
      long position = 0;
      while (position < from.length()) {
        int count = (int) Math.min(buffer.length, from.length() - position);
        from.read(position, buffer, 0, count);
        to.write(buffer, 0, count);
        position += count;
      }
      to.finish();
    }
  }

  @Override
  public void abandon() throws IOException {
    pair.close();
    deleteScratch();
    store.delete(directory.resolve(name(shard, LOG)));
    store.delete(directory.resolve(name(shard, INDEX)));
  }

  private void deleteScratch() throws IOException {
    scratch.delete(FilePath.of(name(shard, LOG)));
    scratch.delete(FilePath.of(name(shard, INDEX)));
    scratch.close();
  }
}
