package io.stele.engine.disk;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Crc32c;

/**
 * The frame of a disk fragment, format version 1. All numbers are little-endian.
 *
 * <pre>
 *   file    := header stored* footer
 *   header  := magic "STLF"(4) version(4) fileId(8)
 *   stored  := payload codec(1) checksum(4)
 *   footer  := root index handle(16) properties handle(16) version(4) fileId(8) checksum(4)
 *              magic "STELEFRG"(8)
 *   handle  := offset(8) storedLength(4) length(4)
 * </pre>
 *
 * The stored blocks are, in order: for each index leaf its data blocks ({@link Block}), its row
 * filter ({@link RowFilter}) and then the leaf ({@link IndexBlock}); the root of the index; the
 * properties ({@link FragmentProperties}).
 *
 * <p>A checksum is the CRC32C of payload and codec, mixed with the file's random id and the block's
 * offset, so that a block that lies in the wrong place or comes from another file does not match.
 * There is no byte in a file that no checksum or comparison covers.
 */
final class FragmentFormat {
  static final int VERSION = 1;
  static final int HEADER = 16;
  static final int FOOTER = 56;
  static final int BLOCK_OVERHEAD = 5;
  static final int HEADER_MAGIC = 'S' | 'T' << 8 | 'L' << 16 | 'F' << 24;
  static final long FOOTER_MAGIC = 0x4752_4645_4c45_5453L; // "STELEFRG"

  /** Offsets in the footer. */
  static final int ROOT_AT = 0;

  static final int PROPERTIES_AT = 16;
  static final int VERSION_AT = 32;
  static final int FILE_ID_AT = 36;
  static final int CHECKSUM_AT = 44;
  static final int MAGIC_AT = 48;

  private FragmentFormat() {}

  static int checksum(byte[] bytes, int at, int length, long fileId, long offset) {
    long place = (fileId ^ offset) * 0x9e3779b97f4a7c15L;
    return Crc32c.of(bytes, at, length) ^ (int) (place >>> 32);
  }

  static void putHandle(byte[] target, int at, BlockHandle handle) {
    Binary.putLong(target, at, handle.offset());
    Binary.putInt(target, at + 8, handle.storedLength());
    Binary.putInt(target, at + 12, handle.length());
  }

  static BlockHandle getHandle(byte[] source, int at) {
    return new BlockHandle(
        Binary.getLong(source, at), Binary.getInt(source, at + 8), Binary.getInt(source, at + 12));
  }
}
