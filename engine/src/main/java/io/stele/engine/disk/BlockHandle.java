package io.stele.engine.disk;

/**
 * Where a stored block lies.
 *
 * @param offset of its first byte in the file
 * @param storedLength of the payload as stored, without codec and checksum
 * @param length of the content once decompressed
 */
record BlockHandle(long offset, int storedLength, int length) {
  static final BlockHandle NONE = new BlockHandle(0, 0, 0);
}
