package io.stele.engine.disk;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.cell.CellView;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Builds the content of one data block after the other. The format is drawn in {@link Block}. */
final class BlockBuilder {
  /** A block with more columns than this spells the others out where they are used. */
  private static final int MAX_LISTED = 256;

  private final ByteBuilder out;
  private final ByteBuilder columnList = new ByteBuilder(256);
  private final Map<ColumnName, Integer> columns = new HashMap<>();
  private int[] restarts = new int[16];
  private long[] timestamps = new long[64];
  private long[] txns = new long[64];
  private int count;
  private byte[] row = new byte[64];
  private int rowLength;
  private ColumnName column = ColumnName.NONE;
  private int columnIndex;

  private final CellView last = new CellView();
  private final byte[] range = new byte[CellView.RANGE_BYTES];
  private long minTimestamp;
  private long maxTimestamp;
  private boolean wide;

  BlockBuilder(int blockSize) {
    out = new ByteBuilder(blockSize + blockSize / 4);
    clear();
  }

  void add(CellView cell) {
    boolean restart = count % Block.RESTART_INTERVAL == 0;
    if (restart) {
      noteRestart();
    }
    int flagsAt = out.length();
    int flags = cell.kind.code();
    out.putByte(0);
    flags |= putRow(cell, restart);
    flags |= putColumn(cell, restart);
    out.array()[flagsAt] = (byte) flags;
    out.putVarint(cell.valueLength).put(cell.valueArray, cell.valueOffset, cell.valueLength);
    noteTimes(cell);
    last.timestamp = cell.timestamp;
    last.txn = cell.txn;
    last.kind = cell.kind;
    noteRange(cell);
    count++;
  }

  /** Keeps the range of a wide erasure, which is part of its key. */
  private void noteRange(CellView cell) {
    last.valueLength = 0;
    if (cell.kind.isWide() && cell.hasRange()) {
      System.arraycopy(cell.valueArray, cell.valueOffset, range, 0, CellView.RANGE_BYTES);
      last.valueArray = range;
      last.valueLength = CellView.RANGE_BYTES;
    }
  }

  private int putRow(CellView cell, boolean restart) {
    int shared = 0;
    if (!restart) {
      int most = Math.min(rowLength, cell.rowLength);
      int differs =
          Arrays.mismatch(row, 0, most, cell.rowArray, cell.rowOffset, cell.rowOffset + most);
      shared = differs < 0 ? most : differs;
      if (shared == rowLength && shared == cell.rowLength) {
        return Block.SAME_ROW;
      }
    }
    int unshared = cell.rowLength - shared;
    out.putVarint(shared).putVarint(unshared);
    out.put(cell.rowArray, cell.rowOffset + shared, unshared);
    if (row.length < cell.rowLength) {
      row = Arrays.copyOf(row, Math.max(cell.rowLength, 2 * row.length));
    }
    System.arraycopy(cell.rowArray, cell.rowOffset + shared, row, shared, unshared);
    rowLength = cell.rowLength;
    last.rowArray = row;
    last.rowLength = rowLength;
    return 0;
  }

  private int putColumn(CellView cell, boolean restart) {
    if (!column.names(cell)) {
      column = ColumnName.of(cell);
      last.setFamily(column.family());
      last.setQualifier(column.qualifier());
      columnIndex = list(column);
    } else if (!restart) {
      return Block.COLUMN_SAME;
    }
    if (columnIndex >= 0) {
      out.putVarint(columnIndex);
      return Block.COLUMN_LISTED;
    }
    column.putTo(out);
    return Block.COLUMN_INLINE;
  }

  private int list(ColumnName name) {
    Integer known = columns.get(name);
    if (known != null) {
      return known;
    }
    if (columns.size() == MAX_LISTED) {
      return -1;
    }
    name.putTo(columnList);
    columns.put(name, columns.size());
    return columns.size() - 1;
  }

  private void noteRestart() {
    int index = count / Block.RESTART_INTERVAL;
    if (index == restarts.length) {
      restarts = Arrays.copyOf(restarts, index * 2);
    }
    restarts[index] = out.length();
  }

  private void noteTimes(CellView cell) {
    if (count == timestamps.length) {
      timestamps = Arrays.copyOf(timestamps, count * 2);
      txns = Arrays.copyOf(txns, count * 2);
    }
    timestamps[count] = cell.timestamp;
    txns[count] = cell.txn;
    if (cell.kind.isWide()) {
      wide = true;
    } else {
      minTimestamp = Math.min(minTimestamp, cell.timestamp);
      maxTimestamp = Math.max(maxTimestamp, cell.timestamp);
    }
  }

  /** The key of the cell added last, also after {@link #clear}; the next add overwrites it. */
  CellView last() {
    return last;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Bytes that the block would have now, nearly. */
  int size() {
    return out.length() + columnList.length() + count * 8 + Block.TRAILER;
  }

  /** Of the versions in the block; the lowest is above the highest if there are none. */
  long minTimestamp() {
    return minTimestamp;
  }

  long maxTimestamp() {
    return maxTimestamp;
  }

  boolean hasWideErasures() {
    return wide;
  }

  /** Completes the content; it is the builder's until {@link #clear}. */
  ByteBuilder finish() {
    long baseTimestamp = minTimestamp <= maxTimestamp ? minTimestamp : 0;
    long baseTxn = Long.MAX_VALUE;
    long topTxn = 0;
    for (int i = 0; i < count; i++) {
      baseTxn = Math.min(baseTxn, txns[i]);
      topTxn = Math.max(topTxn, txns[i]);
      timestamps[i] = timestamps[i] == CellView.WIDE ? 0 : timestamps[i] - baseTimestamp;
    }
    int timestampWidth = minTimestamp <= maxTimestamp ? width(maxTimestamp - minTimestamp) : 0;
    int txnWidth = width(topTxn - baseTxn);
    int entriesEnd = out.length();
    for (int i = 0; i < count; i++) {
      putNarrow(timestamps[i], timestampWidth);
    }
    for (int i = 0; i < count; i++) {
      putNarrow(txns[i] - baseTxn, txnWidth);
    }
    int columnsOffset = out.length();
    out.put(columnList.array(), 0, columnList.length());
    int restartCount = (count + Block.RESTART_INTERVAL - 1) / Block.RESTART_INTERVAL;
    for (int i = 0; i < restartCount; i++) {
      out.putInt(restarts[i]);
    }
    out.putLong(baseTimestamp).putLong(baseTxn).putInt(entriesEnd).putInt(columnsOffset);
    out.putInt(restartCount).putInt(count);
    out.putByte(columns.size()).putByte(columns.size() >>> 8);
    out.putByte(timestampWidth).putByte(txnWidth);
    return out;
  }

  private void putNarrow(long value, int width) {
    int at = out.reserve(8);
    Binary.putLong(out.array(), at, value);
    out.setLength(at + width);
  }

  /** Whole bytes that hold the number, taken as unsigned. */
  private static int width(long value) {
    return (64 - Long.numberOfLeadingZeros(value) + 7) / 8;
  }

  final void clear() {
    out.clear();
    columnList.clear();
    columns.clear();
    column = ColumnName.NONE;
    count = 0;
    rowLength = 0;
    minTimestamp = Long.MAX_VALUE;
    maxTimestamp = Long.MIN_VALUE;
    wide = false;
  }
}
