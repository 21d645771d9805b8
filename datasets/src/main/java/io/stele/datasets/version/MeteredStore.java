package io.stele.datasets.version;

import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.WritableFile;
import io.stele.datasets.shard.Checksums;
import io.stele.datasets.shard.ShardManifest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;

/**
 * A store through which one input file is read: counts what is read, keeps to the rate, ends when
 * the load is given up, and takes the file's checksum on the way if it is read in order.
 */
final class MeteredStore implements FileStore {
  private final FileStore store;
  private final RateLimit rate;
  private final LongConsumer read;
  private final BooleanSupplier stopped;
  private final CRC32C crc = new CRC32C();
  private long checked; // how far the checksum is

  MeteredStore(FileStore store, RateLimit rate, LongConsumer read, BooleanSupplier stopped) {
    this.store = store;
    this.rate = rate;
    this.read = read;
    this.stopped = stopped;
  }

  /** Length and checksum of the file, which is read once more if it was not read in order. */
  ShardManifest.Content content(InputFile file) throws IOException {
    if (checked == file.bytes()) {
      return new ShardManifest.Content(checked, (int) crc.getValue());
    }
    return Checksums.of(store, file.path());
  }

  private void took(long position, byte[] bytes, int offset, int length) throws IOException {
    if (stopped.getAsBoolean()) {
      throw new IOException("the load was given up");
    }
    if (position == checked) {
      crc.update(bytes, offset, length);
      checked += length;
    }
    read.accept(length);
    rate.take(length, stopped);
  }

  @Override
  public ReadableFile open(FilePath path) throws IOException {
    ReadableFile file = store.open(path);
    return new ReadableFile() {
      @Override
      public FilePath path() {
        return file.path();
      }

      @Override
      public long length() {
        return file.length();
      }

      @Override
      public void read(long position, byte[] target, int offset, int length) throws IOException {
        file.read(position, target, offset, length);
        took(position, target, offset, length);
      }

      @Override
      public void close() throws IOException {
        file.close();
      }
    };
  }

  @Override
  public WritableFile create(FilePath path) throws IOException {
    return store.create(path);
  }

  @Override
  public void sync(FilePath path) throws IOException {
    store.sync(path);
  }

  @Override
  public void replace(FilePath path, byte[] content) throws IOException {
    store.replace(path, content);
  }

  @Override
  public void rename(FilePath from, FilePath to) throws IOException {
    store.rename(from, to);
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    return store.delete(path);
  }

  @Override
  public void syncDeletions(FilePath directory) throws IOException {
    store.syncDeletions(directory);
  }

  @Override
  public Optional<FileInfo> stat(FilePath path) throws IOException {
    return store.stat(path);
  }

  @Override
  public List<FileInfo> list(FilePath directory) throws IOException {
    return store.list(directory);
  }

  @Override
  public String describe() {
    return store.describe();
  }

  /** Leaves the store open, which others use. */
  @Override
  public void close() {}
}
