package io.stele.engine.fragment;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import java.util.Optional;
import java.util.Set;

/**
 * A sorted, unique run of cells: in memory or a file. A chain of them, oldest first, is what a
 * tablet's group (or a {@link io.stele.engine.Store}) consists of.
 */
public interface Fragment {
  /**
   * The timestamps a reader cares for, so that whole blocks can be passed over.
   *
   * @param from cells below it may be left out
   * @param to cells at or above it may be left out
   */
  record TimeBounds(long from, long to) {
    public static final TimeBounds ALL = new TimeBounds(Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /** A cursor over all cells, except that it may leave out versions outside of the bounds. */
  CellCursor cursor(TimeBounds bounds);

  /**
   * A cursor for reading one row from some place in it to its end, or nothing if the fragment
   * surely has no cell there, and no erasure that bears on it.
   */
  Optional<CellCursor> rowCursor(CellView from);

  /** False only if no erasure of a column, family or row is among the cells. */
  boolean mayHoldWideErasures();

  /** The families of the cells; a row erasure has none. */
  Set<Bytes> families();

  long minTxn();

  long maxTxn();

  /** No version has a timestamp below it; the largest long if there are none. */
  default long minTimestamp() {
    return Long.MIN_VALUE;
  }

  /** No version has a timestamp above it; the smallest long if there are none. */
  default long maxTimestamp() {
    return Long.MAX_VALUE;
  }

  /** Memory or file bytes. */
  long bytes();
}
