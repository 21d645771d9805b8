package io.stele.datasets.shard;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.util.zip.CRC32C;

/** The checksum of a whole file. */
public final class Checksums {
  private Checksums() {}

  public static ShardManifest.Content of(FileStore store, FilePath path) throws IOException {
    CRC32C crc = new CRC32C();
    try (ReadableFile file = store.open(path)) {
      byte[] buffer = new byte[Math.clamp(file.length(), 1, 1 << 20)];
      long position = 0;
      while (position < file.length()) {
        int count = (int) Math.min(buffer.length, file.length() - position);
        file.read(position, buffer, 0, count);
        crc.update(buffer, 0, count);
        position += count;
      }
      return new ShardManifest.Content(position, (int) crc.getValue());
    }
  }
}
