package io.stele.engine.disk;

import io.stele.base.bytes.Binary;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import java.util.Arrays;

/** Walks one block after the other, filling one view. The format is drawn in {@link Block}. */
final class BlockCursor {
  final CellView view = new CellView();
  private Block block;
  private byte[] bytes;
  private byte[] row = new byte[64];
  private int entry; // the number of the entry in the view
  private int at; // where the entry behind it starts

  BlockCursor(Block block) {
    this.block = block;
    this.bytes = block.bytes;
    view.rowArray = row;
    reset(block);
  }

  /** Moves before the first entry of a block. */
  void reset(Block newBlock) {
    block = newBlock;
    bytes = newBlock.bytes;
    entry = -1;
    at = 0;
  }

  /** Moves behind the last entry. */
  void exhaust() {
    entry = block.entryCount;
  }

  boolean next() {
    if (++entry >= block.entryCount) {
      entry = block.entryCount;
      return false;
    }
    byte[] b = bytes;
    int flags = b[at++];
    if ((flags & Block.SAME_ROW) == 0) {
      readRow();
    }
    int mode = flags & Block.COLUMN_MASK;
    if (mode != Block.COLUMN_SAME) {
      readColumn(mode);
    }
    int valueLength = b[at++];
    if (valueLength < 0) {
      at--;
      valueLength = varint();
    }
    view.valueArray = b;
    view.valueOffset = at;
    view.valueLength = valueLength;
    at += valueLength;
    view.kind = CellKind.of(flags & Block.KIND_MASK);
    view.txn =
        block.minTxn
            + (Binary.getLong(b, block.txnsOffset + entry * block.txnWidth) & block.txnMask);
    view.timestamp =
        view.kind.isWide()
            ? CellView.WIDE
            : block.minTimestamp
                + (Binary.getLong(b, block.timestampsOffset + entry * block.timestampWidth)
                    & block.timestampMask);
    return true;
  }

  private void readRow() {
    int shared = varint();
    int unshared = varint();
    int length = shared + unshared;
    if (length > row.length) {
      row = Arrays.copyOf(row, Math.max(length, 2 * row.length));
      view.rowArray = row;
    }
    System.arraycopy(bytes, at, row, shared, unshared);
    at += unshared;
    view.rowLength = length;
  }

  private void readColumn(int mode) {
    view.familyArray = bytes;
    view.qualifierArray = bytes;
    if (mode == Block.COLUMN_LISTED) {
      int index = 4 * varint();
      int[] columns = block.columns;
      view.familyOffset = columns[index];
      view.familyLength = columns[index + 1];
      view.qualifierOffset = columns[index + 2];
      view.qualifierLength = columns[index + 3];
    } else {
      view.familyLength = varint();
      view.familyOffset = at;
      at += view.familyLength;
      view.qualifierLength = varint();
      view.qualifierOffset = at;
      at += view.qualifierLength;
    }
  }

  /** Moves to the first entry at or after the target; false if all are before it. */
  boolean seek(CellView target) {
    int low = 0; // the answer is not before restart low, unless low is 0
    int high = block.restartCount;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (compareRestart(middle, target) < 0) {
        low = middle;
      } else {
        high = middle;
      }
    }
    entry = low * Block.RESTART_INTERVAL - 1;
    at = block.restart(low);
    while (next()) {
      if (view.compareTo(target) >= 0) {
        return true;
      }
    }
    return false;
  }

  /** The order of a restart's cell and the target. */
  private int compareRestart(int restart, CellView target) {
    at = block.restart(restart) + 2; // flags, and a shared length of zero
    int length = varint();
    int byRow =
        Arrays.compareUnsigned(
            bytes,
            at,
            at + length,
            target.rowArray,
            target.rowOffset,
            target.rowOffset + target.rowLength);
    if (byRow != 0) {
      return byRow;
    }
    entry = restart * Block.RESTART_INTERVAL - 1;
    at = block.restart(restart);
    next();
    return view.compareWithinRow(target);
  }

  private int varint() {
    int b = bytes[at++];
    if (b >= 0) {
      return b;
    }
    int value = b & 0x7f;
    for (int shift = 7; ; shift += 7) {
      b = bytes[at++];
      value |= (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }
}
