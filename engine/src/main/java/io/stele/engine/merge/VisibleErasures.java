package io.stele.engine.merge;

import io.stele.base.cell.CellView;
import java.util.Arrays;

/** The wide erasures that bear on the current column, as a reader at one transaction sees them. */
final class VisibleErasures {
  private static final long[] NO_RANGES = new long[0];

  private long rowTxn;
  private long familyTxn;
  private int ranges;
  private long[] from = NO_RANGES;
  private long[] to = NO_RANGES;
  private long[] txn = NO_RANGES;

  void enter(ColumnWalk.Step step) {
    switch (step) {
      case NEW_ROW -> {
        rowTxn = 0;
        familyTxn = 0;
        ranges = 0;
      }
      case NEW_FAMILY -> {
        familyTxn = 0;
        ranges = 0;
      }
      case NEW_COLUMN -> ranges = 0;
      case SAME_COLUMN -> {}
    }
  }

  void add(CellView erasure) {
    switch (erasure.kind) {
      case ERASE_ROW -> rowTxn = Math.max(rowTxn, erasure.txn);
      case ERASE_FAMILY -> familyTxn = Math.max(familyTxn, erasure.txn);
      case ERASE_COLUMN -> addRange(erasure.rangeFrom(), erasure.rangeTo(), erasure.txn);
      case PUT, ERASE_CELL -> throw new IllegalArgumentException("not wide: " + erasure);
    }
  }

  private void addRange(long rangeFrom, long rangeTo, long rangeTxn) {
    if (ranges == from.length) {
      int room = Math.max(4, 2 * ranges);
      from = Arrays.copyOf(from, room);
      to = Arrays.copyOf(to, room);
      txn = Arrays.copyOf(txn, room);
    }
    from[ranges] = rangeFrom;
    to[ranges] = rangeTo;
    txn[ranges++] = rangeTxn;
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
