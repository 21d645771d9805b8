package io.stele.engine.disk;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import java.util.Arrays;

/**
 * A run of index entries, one per block below it. The leaves of the index point at data blocks, its
 * one root block at the leaves.
 *
 * <pre>
 *   content   := entry* offset(4)* count(4)
 *   entry     := minTimestamp(8) maxTimestamp(8) blockOffset(varint) storedLength(varint)
 *                length(varint) flags(1)
 *                [ filterOffset(varint) storedLength(varint) length(varint) ]   HAS_FILTER (root)
 *                rowLength(varint) row
 *                [ kind(1) timestamp(8) txn(8) familyLength(varint) family
 *                  qualifierLength(varint) qualifier ]                          MID_ROW
 *                [ from(8) to(8), as in CellView ]               MID_ROW, if the kind has a range
 * </pre>
 *
 * The kind of a row's or family's erasure that has a time range has RANGED set; a column's always
 * has a range.
 *
 * <p>An entry's key is an upper bound of its block: no cell of the block is above it, and every
 * cell of the next block is. Where the next block starts a new row, the key is only the shortest
 * row that parts the two and stands for all cells up to that row's end; a block that ends inside a
 * row (MID_ROW) has its last cell as key. HAS_WIDE marks blocks that must not be passed over for
 * their timestamps, because a wide erasure is among the cells.
 */
final class IndexBlock {
  static final int MID_ROW = 0x01;
  static final int HAS_WIDE = 0x02;
  static final int HAS_FILTER = 0x04;

  private static final int KIND_MASK = 0x07;
  private static final int RANGED = 0x08; // in the kind

  final byte[] bytes;
  final int count;
  private final int offsets;

  // For searching without touching the entries, each of which would be a cache miss: all rows share
  // their first sharedLength bytes, which stand at sharedOffset; then the next eight bytes of each
  // row, as a number whose signed order is byte order.
  private final int sharedOffset;
  private final int sharedLength;
  private final long[] prefixes;

  IndexBlock(byte[] bytes, int length) {
    this.bytes = bytes;
    count = Binary.getInt(bytes, length - 4);
    offsets = length - 4 - 4 * count;
    prefixes = new long[count];
    Entry entry = new Entry();
    entry.read(this, 0);
    sharedOffset = entry.rowOffset;
    int firstLength = entry.rowLength;
    entry.read(this, count - 1);
    int most = Math.min(firstLength, entry.rowLength);
    int differs =
        Arrays.mismatch(
            bytes,
            sharedOffset,
            sharedOffset + most,
            bytes,
            entry.rowOffset,
            entry.rowOffset + most);
    sharedLength = differs < 0 ? most : differs;
    for (int i = 0; i < count; i++) {
      entry.read(this, i);
      prefixes[i] = prefix(bytes, entry.rowOffset, entry.rowLength);
    }
  }

  private long prefix(byte[] row, int offset, int length) {
    return Binary.prefix(row, offset + sharedLength, length - sharedLength) ^ Long.MIN_VALUE;
  }

  int weight() {
    return bytes.length + 8 * count + 96;
  }

  /** The first entry whose key is at or after the target; {@link #count} if there is none. */
  int find(CellView target, Entry scratch) {
    int byShared =
        Arrays.compareUnsigned(
            target.rowArray,
            target.rowOffset,
            target.rowOffset + Math.min(target.rowLength, sharedLength),
            bytes,
            sharedOffset,
            sharedOffset + sharedLength);
    if (byShared != 0) {
      return byShared < 0 ? 0 : count;
    }
    long wanted = prefix(target.rowArray, target.rowOffset, target.rowLength);
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      long found = prefixes[middle];
      if (found > wanted || (found == wanted && compareKey(middle, target, scratch) >= 0)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private int compareKey(int index, CellView target, Entry scratch) {
    scratch.read(this, index);
    int byRow =
        Arrays.compareUnsigned(
            bytes,
            scratch.rowOffset,
            scratch.rowOffset + scratch.rowLength,
            target.rowArray,
            target.rowOffset,
            target.rowOffset + target.rowLength);
    if (byRow != 0) {
      return byRow;
    }
    return (scratch.flags & MID_ROW) == 0 ? 1 : scratch.lastCell(this).compareWithinRow(target);
  }

  /** One decoded entry, refilled at will by its owner. */
  static final class Entry {
    long minTimestamp;
    long maxTimestamp;
    long offset;
    int storedLength;
    int length;
    int flags;
    long filterOffset;
    int filterStoredLength;
    int filterLength;
    int rowOffset;
    int rowLength;
    private int behindRow;

    void read(IndexBlock index, int position) {
      byte[] bytes = index.bytes;
      int at = Binary.getInt(bytes, index.offsets + 4 * position);
      minTimestamp = Binary.getLong(bytes, at);
      maxTimestamp = Binary.getLong(bytes, at + 8);
      VarintReader in = new VarintReader(bytes, at + 16);
      offset = in.readLong();
      storedLength = in.read();
      length = in.read();
      flags = bytes[in.at++];
      if ((flags & HAS_FILTER) != 0) {
        filterOffset = in.readLong();
        filterStoredLength = in.read();
        filterLength = in.read();
      }
      rowLength = in.read();
      rowOffset = in.at;
      behindRow = rowOffset + rowLength;
    }

    BlockHandle handle() {
      return new BlockHandle(offset, storedLength, length);
    }

    BlockHandle filter() {
      return new BlockHandle(filterOffset, filterStoredLength, filterLength);
    }

    boolean canSkip(long from, long to) {
      return (flags & HAS_WIDE) == 0 && (maxTimestamp < from || minTimestamp >= to);
    }

    CellView lastCell(IndexBlock index) {
      byte[] bytes = index.bytes;
      CellView cell = new CellView();
      cell.rowArray = bytes;
      cell.rowOffset = rowOffset;
      cell.rowLength = rowLength;
      int kind = bytes[behindRow];
      cell.kind = CellKind.of(kind & KIND_MASK);
      cell.timestamp = Binary.getLong(bytes, behindRow + 1);
      cell.txn = Binary.getLong(bytes, behindRow + 9);
      VarintReader in = new VarintReader(bytes, behindRow + 17);
      cell.familyArray = bytes;
      cell.familyLength = in.read();
      cell.familyOffset = in.at;
      in.at += cell.familyLength;
      cell.qualifierArray = bytes;
      cell.qualifierLength = in.read();
      cell.qualifierOffset = in.at;
      if (cell.kind == CellKind.ERASE_COLUMN || (kind & RANGED) != 0) { // part of the key
        cell.valueArray = bytes;
        cell.valueOffset = cell.qualifierOffset + cell.qualifierLength;
        cell.valueLength = CellView.RANGE_BYTES;
      }
      return cell;
    }
  }

  /** Builds index blocks, one after the other. */
  static final class Builder {
    private final ByteBuilder out = new ByteBuilder(4096);
    private int[] offsets = new int[64];
    private int count;
    private long minTimestamp;
    private long maxTimestamp;
    private boolean wide;

    Builder() {
      clear();
    }

    /**
     * Adds an entry.
     *
     * @param key only its row counts, unless {@code midRow}
     * @param filter {@link BlockHandle#NONE} in leaves
     */
    void add(
        BlockHandle handle,
        long lowest,
        long highest,
        boolean hasWide,
        CellView key,
        boolean midRow,
        BlockHandle filter) {
      if (count == offsets.length) {
        offsets = Arrays.copyOf(offsets, count * 2);
      }
      offsets[count++] = out.length();
      minTimestamp = Math.min(minTimestamp, lowest);
      maxTimestamp = Math.max(maxTimestamp, highest);
      wide |= hasWide;
      out.putLong(lowest).putLong(highest);
      putHandle(handle);
      boolean filtered = !filter.equals(BlockHandle.NONE);
      out.putByte((midRow ? MID_ROW : 0) | (hasWide ? HAS_WIDE : 0) | (filtered ? HAS_FILTER : 0));
      if (filtered) {
        putHandle(filter);
      }
      out.putVarint(key.rowLength).put(key.rowArray, key.rowOffset, key.rowLength);
      if (midRow) {
        boolean ranged = key.kind.isWide() && key.hasRange();
        boolean told = ranged && key.kind != CellKind.ERASE_COLUMN;
        out.putByte(key.kind.code() | (told ? RANGED : 0));
        out.putLong(key.timestamp).putLong(key.txn);
        out.putVarint(key.familyLength);
        out.put(key.familyArray, key.familyOffset, key.familyLength);
        out.putVarint(key.qualifierLength);
        out.put(key.qualifierArray, key.qualifierOffset, key.qualifierLength);
        if (ranged) {
          out.put(key.valueArray, key.valueOffset, CellView.RANGE_BYTES);
        }
      }
    }

    private void putHandle(BlockHandle handle) {
      out.putVarint(handle.offset()).putVarint(handle.storedLength()).putVarint(handle.length());
    }

    boolean isEmpty() {
      return count == 0;
    }

    int size() {
      return out.length() + 4 * count;
    }

    long minTimestamp() {
      return minTimestamp;
    }

    long maxTimestamp() {
      return maxTimestamp;
    }

    boolean hasWideErasures() {
      return wide;
    }

    ByteBuilder finish() {
      for (int i = 0; i < count; i++) {
        out.putInt(offsets[i]);
      }
      return out.putInt(count);
    }

    void clear() {
      out.clear();
      count = 0;
      minTimestamp = Long.MAX_VALUE;
      maxTimestamp = Long.MIN_VALUE;
      wide = false;
    }
  }
}
