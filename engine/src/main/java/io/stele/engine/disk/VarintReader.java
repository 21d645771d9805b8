package io.stele.engine.disk;

/** Reads varints from bytes whose checksum matched. The position is open to its owner. */
final class VarintReader {
  private final byte[] bytes;
  int at;

  VarintReader(byte[] bytes, int at) {
    this.bytes = bytes;
    this.at = at;
  }

  int read() {
    return (int) readLong();
  }

  long readLong() {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = bytes[at++];
      value |= (b & 0x7fL) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }
}
