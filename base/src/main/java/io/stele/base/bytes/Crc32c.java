package io.stele.base.bytes;

import java.util.zip.CRC32C;

/** The checksum of every stored block and record. */
public final class Crc32c {
  private Crc32c() {}

  public static int of(byte[] array, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(array, offset, length);
    return (int) crc.getValue();
  }
}
