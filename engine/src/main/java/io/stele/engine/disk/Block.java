package io.stele.engine.disk;

import io.stele.base.bytes.Binary;
import io.stele.engine.cache.CachedBlock;

/**
 * The cells of one data block, as they stand in the file once decompressed.
 *
 * <pre>
 *   content    := entry* timestamps txns column* restart* trailer
 *
 *   entry      := flags(1)
 *                 [ shared(varint) unshared(varint) rowSuffix ]       unless SAME_ROW
 *                 [ columnIndex(varint) ]                             COLUMN_LISTED
 *                 [ familyLength(varint) family
 *                   qualifierLength(varint) qualifier ]               COLUMN_INLINE
 *                 valueLength(varint) value
 *   flags      := kind (bits 0..2) | SAME_ROW (bit 3) | column mode (bits 4..5)
 *   timestamps := (timestamp - minTimestamp)(timestampWidth), one per entry; 0 for wide erasures
 *   txns       := (txn - minTxn)(txnWidth), one per entry
 *   column     := familyLength(varint) family qualifierLength(varint) qualifier
 *   restart    := offset(4) of every 16th entry
 *   trailer    := minTimestamp(8) minTxn(8) entriesEnd(4) columnsOffset(4) restartCount(4)
 *                 entryCount(4) columnCount(2) timestampWidth(1) txnWidth(1)
 * </pre>
 *
 * Rows share prefixes with the entry before, except at restarts, which spell out row and column.
 * Timestamps and transaction numbers stand apart from the entries, as narrow as the block allows.
 * The arrays are followed by more than eight bytes, so a number of any width may be read as a long.
 */
final class Block implements CachedBlock {
  static final int RESTART_INTERVAL = 16;
  static final int TRAILER = 36;

  static final int KIND_MASK = 0x07;
  static final int SAME_ROW = 0x08;
  static final int COLUMN_MASK = 0x30;
  static final int COLUMN_SAME = 0x00;
  static final int COLUMN_LISTED = 0x10;
  static final int COLUMN_INLINE = 0x20;

  final byte[] bytes;
  final int entryCount;
  final int entriesEnd;
  final long minTimestamp;
  final long minTxn;
  final int timestampWidth;
  final int txnWidth;
  final long timestampMask;
  final long txnMask;
  final int timestampsOffset;
  final int txnsOffset;
  final int restartsOffset;
  final int restartCount;

  /** For each listed column: family offset, family length, qualifier offset, qualifier length. */
  final int[] columns;

  Block(byte[] bytes, int length) {
    this.bytes = bytes;
    int trailer = length - TRAILER;
    minTimestamp = Binary.getLong(bytes, trailer);
    minTxn = Binary.getLong(bytes, trailer + 8);
    entriesEnd = Binary.getInt(bytes, trailer + 16);
    int columnsOffset = Binary.getInt(bytes, trailer + 20);
    restartCount = Binary.getInt(bytes, trailer + 24);
    entryCount = Binary.getInt(bytes, trailer + 28);
    int columnCount = (bytes[trailer + 32] & 0xff) | (bytes[trailer + 33] & 0xff) << 8;
    timestampWidth = bytes[trailer + 34];
    txnWidth = bytes[trailer + 35];
    timestampMask = mask(timestampWidth);
    txnMask = mask(txnWidth);
    timestampsOffset = entriesEnd;
    txnsOffset = timestampsOffset + entryCount * timestampWidth;
    restartsOffset = trailer - 4 * restartCount;
    columns = new int[4 * columnCount];
    VarintReader in = new VarintReader(bytes, columnsOffset);
    for (int i = 0; i < columns.length; i += 2) {
      int size = in.read();
      columns[i] = in.at;
      columns[i + 1] = size;
      in.at += size;
    }
  }

  int restart(int index) {
    return Binary.getInt(bytes, restartsOffset + 4 * index);
  }

  @Override
  public int weight() {
    return bytes.length + columns.length * 4 + 128;
  }

  private static long mask(int width) {
    return width == 8 ? -1L : (1L << (8 * width)) - 1;
  }
}
