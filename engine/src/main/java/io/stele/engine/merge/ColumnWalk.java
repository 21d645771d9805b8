package io.stele.engine.merge;

import io.stele.base.cell.CellView;

/**
 * Tells where each cell of a walk stands against the one before: in a new row, a new family, a new
 * column, or in the same column.
 */
final class ColumnWalk {
  /** How far a cell is from the one before it; ordered. */
  enum Step {
    SAME_COLUMN,
    NEW_COLUMN,
    NEW_FAMILY,
    NEW_ROW
  }

  private final KeyCopy at = new KeyCopy();
  private boolean inRow;

  Step step(CellView cell) {
    CellView before = at.view();
    if (!inRow || !before.sameRow(cell)) {
      inRow = true;
      at.setRow(cell);
      at.setFamily(cell);
      at.setQualifier(cell);
      return Step.NEW_ROW;
    }
    if (!before.sameFamily(cell)) {
      at.setFamily(cell);
      at.setQualifier(cell);
      return Step.NEW_FAMILY;
    }
    if (!before.sameQualifier(cell)) {
      at.setQualifier(cell);
      return Step.NEW_COLUMN;
    }
    return Step.SAME_COLUMN;
  }

  /** The row, family and qualifier of the last cell. */
  CellView position() {
    return at.view();
  }

  /** Forgets the position: the next cell is in a new row. */
  void reset() {
    inRow = false;
  }
}
