package io.stele.engine.merge;

import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import java.util.ArrayList;
import java.util.List;

/**
 * The wide erasures that bear on the current column, as a rewrite sees them: not only the newest,
 * because between two erasures an open snapshot may still look at what the older one left.
 */
final class RetainedErasures {
  private record Range(ColumnWalk.Step scope, long from, long to, long txn) {
    boolean hides(CellView version) {
      return txn > version.txn && from <= version.timestamp && version.timestamp < to;
    }

    boolean hidesErasure(CellView erasure) {
      return txn > erasure.txn && from <= erasure.rangeFrom() && to >= erasure.rangeTo();
    }
  }

  private final List<Long> rowTxns = new ArrayList<>(); // descending, as they come
  private final List<Long> familyTxns = new ArrayList<>();
  private final List<Range> ranges = new ArrayList<>(); // of rows, then families, then columns

  void enter(ColumnWalk.Step step) {
    if (step == ColumnWalk.Step.NEW_ROW) {
      rowTxns.clear();
    }
    if (step == ColumnWalk.Step.NEW_ROW || step == ColumnWalk.Step.NEW_FAMILY) {
      familyTxns.clear();
    }
    if (step != ColumnWalk.Step.SAME_COLUMN) {
      while (!ranges.isEmpty() && ranges.getLast().scope.compareTo(step) <= 0) {
        ranges.removeLast();
      }
    }
  }

  /** The oldest erasure of all that the given erasure hides, of those after it. */
  long firstHidingErasure(CellView erasure) {
    long first = above(rowTxns, erasure.txn);
    if (erasure.kind != CellKind.ERASE_ROW) {
      first = Math.min(first, above(familyTxns, erasure.txn));
    }
    for (Range range : ranges) {
      if (range.hidesErasure(erasure)) {
        first = Math.min(first, range.txn);
      }
    }
    return first;
  }

  /** The oldest erasure that hides the version, of those after it; the largest long if none. */
  long firstHidingVersion(CellView version) {
    long first = Math.min(above(rowTxns, version.txn), above(familyTxns, version.txn));
    for (int i = 0; i < ranges.size(); i++) {
      if (ranges.get(i).hides(version)) {
        first = Math.min(first, ranges.get(i).txn);
      }
    }
    return first;
  }

  void add(CellView erasure) {
    switch (erasure.kind) {
      case ERASE_ROW -> {
        if (erasure.hasRange()) {
          addRange(ColumnWalk.Step.NEW_ROW, erasure);
        } else {
          rowTxns.add(erasure.txn);
        }
      }
      case ERASE_FAMILY -> {
        if (erasure.hasRange()) {
          addRange(ColumnWalk.Step.NEW_FAMILY, erasure);
        } else {
          familyTxns.add(erasure.txn);
        }
      }
      case ERASE_COLUMN -> addRange(ColumnWalk.Step.NEW_COLUMN, erasure);
      case PUT, ERASE_CELL -> throw new IllegalArgumentException("not wide: " + erasure);
    }
  }

  private void addRange(ColumnWalk.Step scope, CellView erasure) {
    ranges.add(new Range(scope, erasure.rangeFrom(), erasure.rangeTo(), erasure.txn));
  }

  private static long above(List<Long> descending, long txn) {
    for (int i = descending.size() - 1; i >= 0; i--) {
      if (descending.get(i) > txn) {
        return descending.get(i);
      }
    }
    return Long.MAX_VALUE;
  }
}
