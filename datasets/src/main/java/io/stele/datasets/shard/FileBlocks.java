package io.stele.datasets.shard;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.stele.base.error.CorruptDataException;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * The blocks of a mapped file, their checksums, and which of them were compared with these lately:
 * such a block is as it was written, and most likely still in memory. Any number of threads.
 *
 * <p>The checksums are taken while the whole file is compared with its manifest, so they are as
 * good as that, and are stored nowhere.
 */
final class FileBlocks {
  private static final int BITS = 16;
  static final int BYTES = 1 << BITS;

  private static final byte COMPARED = 1;

  private final String name;
  private final MemorySegment file;
  private final int[] checksums;

  // By block. Written without order: a thread that does not see another's byte compares once more.
  private volatile byte[] states;

  /**
   * With no block compared as yet.
   *
   * @param name what the file is called to people
   */
  FileBlocks(String name, MemorySegment file, int[] checksums) {
    this.name = name;
    this.file = file;
    this.checksums = checksums;
    this.states = new byte[checksums.length];
  }

  /**
   * Whether a stretch of the file can be read as it is.
   *
   * @throws IndexOutOfBoundsException if it is not within the file
   */
  boolean compared(long from, long length) {
    byte[] known = states;
    int last = block(from + Math.max(length, 1) - 1);
    for (int block = block(from); block <= last; block++) {
      if (known[block] != COMPARED) {
        return false;
      }
    }
    return true;
  }

  /**
   * Reads the blocks of a stretch that were not compared lately, and compares them.
   *
   * @throws CorruptDataException if one is not as it was written
   * @throws IndexOutOfBoundsException if the stretch is not within the file
   */
  void compare(long from, long length) {
    byte[] known = states;
    int last = block(from + Math.max(length, 1) - 1);
    for (int block = block(from); block <= last; block++) {
      if (known[block] != COMPARED) {
        compare(block);
        known[block] = COMPARED;
      }
    }
  }

  private static int block(long at) {
    return (int) (at >> BITS); // reading a place outside the file fails, whatever block this says
  }

  private void compare(int block) {
    long from = (long) block * BYTES;
    // A copy, since a checksum over mapped memory would keep the file from being unmapped.
    byte[] content = new byte[(int) Math.min(BYTES, file.byteSize() - from)];
    MemorySegment.copy(file, JAVA_BYTE, from, content, 0, content.length);
    int found = checksum(content, 0, content.length);
    if (found != checksums[block]) {
      throw new CorruptDataException(
          name,
          from,
          "a block of %d bytes with CRC32C %08x".formatted(content.length, checksums[block]),
          "CRC32C %08x".formatted(found));
    }
  }

  static int checksum(byte[] content, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(content, offset, length);
    return (int) crc.getValue();
  }

  /** Has every block compared again when it is read the next time. */
  void forget() {
    states = new byte[checksums.length];
  }
}
