package io.stele.engine.merge;

import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import java.util.Arrays;

/** A whole cell in an array of its own, reused from cell to cell. */
final class CellCopy {
  private final CellView view = new CellView();
  private byte[] array = new byte[256];

  void set(CellView cell) {
    int size = Math.toIntExact(cell.size());
    if (array.length < size) {
      array = new byte[Math.max(size, 2 * array.length)];
    }
    int at = 0;
    System.arraycopy(cell.rowArray, cell.rowOffset, array, at, cell.rowLength);
    view.rowArray = array;
    view.rowOffset = at;
    view.rowLength = cell.rowLength;
    at += cell.rowLength;
    System.arraycopy(cell.familyArray, cell.familyOffset, array, at, cell.familyLength);
    view.familyArray = array;
    view.familyOffset = at;
    view.familyLength = cell.familyLength;
    at += cell.familyLength;
    System.arraycopy(cell.qualifierArray, cell.qualifierOffset, array, at, cell.qualifierLength);
    view.qualifierArray = array;
    view.qualifierOffset = at;
    view.qualifierLength = cell.qualifierLength;
    at += cell.qualifierLength;
    System.arraycopy(cell.valueArray, cell.valueOffset, array, at, cell.valueLength);
    view.valueArray = array;
    view.valueOffset = at;
    view.valueLength = cell.valueLength;
    view.timestamp = cell.timestamp;
    view.txn = cell.txn;
    view.kind = cell.kind;
  }

  CellView view() {
    return view;
  }

  /** Are both versions of one column with one timestamp? */
  boolean sameVersion(CellView cell) {
    return view.timestamp == cell.timestamp
        && !cell.kind.isWide()
        && !view.kind.isWide()
        && view.sameQualifier(cell)
        && view.sameFamily(cell)
        && view.sameRow(cell);
  }

  /**
   * Does the cell win over another with the same column and timestamp, by the rule of {@link
   * Resolution.ByTime}? Positive if it does, zero if they say the same.
   */
  static int compareByTime(CellView cell, CellView other) {
    if (cell.kind != other.kind) {
      return cell.kind == CellKind.ERASE_CELL ? 1 : -1;
    }
    return Arrays.compareUnsigned(
        cell.valueArray,
        cell.valueOffset,
        cell.valueOffset + cell.valueLength,
        other.valueArray,
        other.valueOffset,
        other.valueOffset + other.valueLength);
  }
}
