package io.stele.datasets.version;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.WritableFile;
import io.stele.datasets.shard.ShardFiles;
import io.stele.datasets.shard.ShardManifest;
import java.io.IOException;
import java.util.Optional;
import java.util.zip.CRC32C;

/** A shard as tab-separated text. */
final class TextPart implements PartWriter {
  private final FileStore store;
  private final WritableFile file;
  private final int shard;
  private final CRC32C crc = new CRC32C();
  private final byte[] buffer = new byte[32 << 10];
  private int filled;
  private long records;

  private TextPart(FileStore store, WritableFile file, int shard) {
    this.store = store;
    this.file = file;
    this.shard = shard;
  }

  static TextPart create(FileStore store, FilePath directory, int shard) throws IOException {
    FilePath path = directory.resolve("part-" + ShardFiles.name(shard) + ".tsv");
    return new TextPart(store, store.create(path), shard);
  }

  @Override
  public void put(byte[] key, byte[] value) throws IOException {
    refuse(key, "key", key, '\t', "a tab");
    refuse(key, "key", key, '\n', "a line feed");
    refuse(key, "value", value, '\n', "a line feed");
    append(key);
    append((byte) '\t');
    append(value);
    append((byte) '\n');
    records++;
  }

  private static void refuse(byte[] key, String part, byte[] bytes, char bad, String what) {
    for (byte b : bytes) {
      if (b == bad) {
        throw new InvalidRequestException(
            "the "
                + part
                + " of \""
                + Bytes.of(key)
                + "\" has "
                + what
                + ", which tab-separated text cannot hold: write Sparkey files instead");
      }
    }
  }

  private void append(byte b) throws IOException {
    if (filled == buffer.length) {
      drain();
    }
    buffer[filled++] = b;
  }

  private void append(byte[] bytes) throws IOException {
    if (bytes.length > buffer.length - filled) {
      drain();
    }
    if (bytes.length > buffer.length) {
      crc.update(bytes);
      file.write(bytes, 0, bytes.length);
    } else {
      System.arraycopy(bytes, 0, buffer, filled, bytes.length);
      filled += bytes.length;
    }
  }

  private void drain() throws IOException {
    crc.update(buffer, 0, filled);
    file.write(buffer, 0, filled);
    filled = 0;
  }

  @Override
  public VersionManifest.DeclaredFile finish() throws IOException {
    drain();
    file.finish();
    file.close();
    return new VersionManifest.DeclaredFile(
        file.path().name(),
        shard,
        records,
        new ShardManifest.Content(file.length(), (int) crc.getValue()),
        Optional.empty());
  }

  @Override
  public void abandon() throws IOException {
    file.close();
    store.delete(file.path());
  }
}
