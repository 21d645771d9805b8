package io.stele.engine.merge;

import io.stele.base.cell.CellView;
import java.util.ArrayList;
import java.util.List;

/**
 * The wide erasures that bear on the current column, as a rewrite sees them: not only the newest,
 * because between two erasures an open snapshot may still look at what the older one left.
 */
final class RetainedErasures {
  private record Range(long from, long to, long txn) {}

  private final List<Long> rowTxns = new ArrayList<>(); // descending, as they come
  private final List<Long> familyTxns = new ArrayList<>();
  private final List<Range> ranges = new ArrayList<>();

  void enter(ColumnWalk.Step step) {
    if (step == ColumnWalk.Step.NEW_ROW) {
      rowTxns.clear();
    }
    if (step == ColumnWalk.Step.NEW_ROW || step == ColumnWalk.Step.NEW_FAMILY) {
      familyTxns.clear();
    }
    if (step != ColumnWalk.Step.SAME_COLUMN) {
      ranges.clear();
    }
  }

  /** The oldest erasure of all that the given erasure hides, of those after it. */
  long firstHidingErasure(CellView erasure) {
    long first = above(rowTxns, erasure.txn);
    return switch (erasure.kind) {
      case ERASE_ROW -> first;
      case ERASE_FAMILY -> Math.min(first, above(familyTxns, erasure.txn));
      case ERASE_COLUMN -> {
        first = Math.min(first, above(familyTxns, erasure.txn));
        for (Range range : ranges) {
          if (range.txn > erasure.txn
              && range.from <= erasure.rangeFrom()
              && range.to >= erasure.rangeTo()) {
            first = Math.min(first, range.txn);
          }
        }
        yield first;
      }
      case PUT, ERASE_CELL -> throw new IllegalArgumentException("not wide: " + erasure);
    };
  }

  /** The oldest erasure that hides the version, of those after it; the largest long if none. */
  long firstHidingVersion(CellView version) {
    long first = Math.min(above(rowTxns, version.txn), above(familyTxns, version.txn));
    for (int i = 0; i < ranges.size(); i++) {
      Range range = ranges.get(i);
      if (range.txn > version.txn
          && range.from <= version.timestamp
          && version.timestamp < range.to) {
        first = Math.min(first, range.txn);
      }
    }
    return first;
  }

  void add(CellView erasure) {
    switch (erasure.kind) {
      case ERASE_ROW -> rowTxns.add(erasure.txn);
      case ERASE_FAMILY -> familyTxns.add(erasure.txn);
      case ERASE_COLUMN ->
          ranges.add(new Range(erasure.rangeFrom(), erasure.rangeTo(), erasure.txn));
      case PUT, ERASE_CELL -> throw new IllegalArgumentException("not wide: " + erasure);
    }
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
