package io.stele.engine.merge;

import io.stele.base.cell.CellView;

/**
 * Decides which cells of a history nobody reads any more, while they pass column by column, the
 * newest version of each first.
 */
public final class HistoryWalk {
  /** What becomes of a cell. */
  public enum Verdict {
    /** Somebody may read it. */
    READ,
    /** A newer version of its column is at or below the floor. */
    REPLACED,
    /** It is the newest at or below the floor, and says that there is nothing. */
    DELETED,
    /** It is what was noted of a change at or below the floor. */
    NOTED
  }

  private final HistoryFloor floor;
  private boolean below; // a version of this column was at or below the floor

  public HistoryWalk(HistoryFloor floor) {
    this.floor = floor;
  }

  /** The next cell is of another column. */
  public void enterColumn() {
    below = false;
  }

  /** What becomes of the next cell, which every reader would find. */
  public Verdict verdict(CellView cell) {
    return switch (floor.givenUp(cell)) {
      case NONE -> Verdict.READ;
      case NOTE -> Verdict.NOTED;
      case FIRST, NEXT -> version(Verdict.READ);
      case DELETION -> version(Verdict.DELETED);
    };
  }

  private Verdict version(Verdict newest) {
    Verdict verdict = below ? Verdict.REPLACED : newest;
    below = true;
    return verdict;
  }
}
