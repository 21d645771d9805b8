package io.stele.engine.merge;

import io.stele.base.cell.CellView;
import java.util.Arrays;

/**
 * The wide erasures that bear on the current column, as a reader at one transaction sees them.
 *
 * <p>Those with a time range are a stack: first the row's, then the family's, then the column's, as
 * they come. {@code 0 <= rowRanges <= familyRanges <= ranges}.
 */
final class VisibleErasures {
  private static final long[] NO_RANGES = new long[0];

  private final boolean byTime;
  private long rowTxn;
  private long familyTxn;
  private int rowRanges;
  private int familyRanges;
  private int ranges;
  private long[] from = NO_RANGES;
  private long[] to = NO_RANGES;
  private long[] txn = NO_RANGES; // the largest long if it hides whatever was committed when

  VisibleErasures(boolean byTime) {
    this.byTime = byTime;
  }

  void enter(ColumnWalk.Step step) {
    switch (step) {
      case NEW_ROW -> {
        rowTxn = 0;
        familyTxn = 0;
        rowRanges = 0;
        familyRanges = 0;
        ranges = 0;
      }
      case NEW_FAMILY -> {
        familyTxn = 0;
        familyRanges = rowRanges;
        ranges = rowRanges;
      }
      case NEW_COLUMN -> ranges = familyRanges;
      case SAME_COLUMN -> {}
    }
  }

  void add(CellView erasure) {
    boolean ranged = byTime || erasure.hasRange();
    switch (erasure.kind) {
      case ERASE_ROW -> {
        if (ranged) {
          addRange(erasure);
          rowRanges = ranges;
          familyRanges = ranges;
        } else {
          rowTxn = Math.max(rowTxn, erasure.txn);
        }
      }
      case ERASE_FAMILY -> {
        if (ranged) {
          addRange(erasure);
          familyRanges = ranges;
        } else {
          familyTxn = Math.max(familyTxn, erasure.txn);
        }
      }
      case ERASE_COLUMN -> addRange(erasure);
      case PUT, ERASE_CELL -> throw new IllegalArgumentException("not wide: " + erasure);
    }
  }

  private void addRange(CellView erasure) {
    if (ranges == from.length) {
      int room = Math.max(4, 2 * ranges);
      from = Arrays.copyOf(from, room);
      to = Arrays.copyOf(to, room);
      txn = Arrays.copyOf(txn, room);
    }
    from[ranges] = erasure.rangeFrom();
    to[ranges] = erasure.rangeTo();
    txn[ranges++] = byTime ? Long.MAX_VALUE : erasure.txn;
  }

  /** Was a version written at {@code versionTxn} erased after that? */
  boolean hides(long timestamp, long versionTxn) {
    if (versionTxn < rowTxn || versionTxn < familyTxn) {
      return true;
    }
    for (int i = 0; i < ranges; i++) {
      if (versionTxn < txn[i] && from[i] <= timestamp && timestamp < to[i]) {
        return true;
      }
    }
    return false;
  }
}
