package io.stele.engine.fragment;

import io.stele.base.cell.CellView;

/**
 * Walks cells in their order. A new cursor stands before the first cell; {@link #cell} may be read
 * only after a {@link #seek} or {@link #next} that returned true, and until the next call.
 *
 * <p>Not for use by several threads at once. Failures are {@link
 * io.stele.base.error.SteleException}s: corrupt data, or a store that cannot be read at the moment.
 */
public interface CellCursor extends AutoCloseable {
  /** Moves to the first cell at or after the target, forward or back; false if there is none. */
  boolean seek(CellView target);

  /** Moves to the next cell; false at the end. */
  boolean next();

  /** The same object for the life of the cursor. */
  CellView cell();

  @Override
  default void close() {}
}
