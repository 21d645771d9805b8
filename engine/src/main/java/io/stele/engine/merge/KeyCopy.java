package io.stele.engine.merge;

import io.stele.base.cell.CellView;
import java.util.Arrays;

/** A cell's key in arrays of its own, reused from cell to cell. */
final class KeyCopy {
  private final CellView copy = new CellView();

  void set(CellView cell) {
    setRow(cell);
    setFamily(cell);
    setQualifier(cell);
    copy.timestamp = cell.timestamp;
    copy.txn = cell.txn;
    copy.kind = cell.kind;
    if (cell.kind.isWide()) { // its range is part of the key
      copy.valueArray = ensure(copy.valueArray, cell.valueLength);
      System.arraycopy(cell.valueArray, cell.valueOffset, copy.valueArray, 0, cell.valueLength);
    }
    copy.valueLength = cell.kind.isWide() ? cell.valueLength : 0;
  }

  void setRow(CellView cell) {
    copy.rowArray = ensure(copy.rowArray, cell.rowLength);
    System.arraycopy(cell.rowArray, cell.rowOffset, copy.rowArray, 0, cell.rowLength);
    copy.rowLength = cell.rowLength;
  }

  void setFamily(CellView cell) {
    copy.familyArray = ensure(copy.familyArray, cell.familyLength);
    System.arraycopy(cell.familyArray, cell.familyOffset, copy.familyArray, 0, cell.familyLength);
    copy.familyLength = cell.familyLength;
  }

  void setQualifier(CellView cell) {
    copy.qualifierArray = ensure(copy.qualifierArray, cell.qualifierLength);
    System.arraycopy(
        cell.qualifierArray, cell.qualifierOffset, copy.qualifierArray, 0, cell.qualifierLength);
    copy.qualifierLength = cell.qualifierLength;
  }

  CellView view() {
    return copy;
  }

  boolean equalTo(CellView cell) {
    return copy.txn == cell.txn && copy.timestamp == cell.timestamp && copy.compareTo(cell) == 0;
  }

  private static byte[] ensure(byte[] array, int length) {
    return array.length >= length ? array : Arrays.copyOf(array, Math.max(length, 32));
  }
}
