package io.stele.engine.merge;

import io.stele.base.cell.CellView;

/**
 * What the cells of a store mean to an owner that numbers its changes and gives up the oldest ones.
 * The owner raises a <em>floor</em>: from then on nobody reads the changes at or below it, except
 * that the newest version of a column at or below the floor is still the one that readers above it
 * find. {@link RetainCursor} drops the others whenever it rewrites them.
 */
public interface History {
  /** Of a store without one: no cell takes part in it. */
  History NONE =
      new History() {
        @Override
        public Part part(CellView put) {
          return Part.NONE;
        }

        @Override
        public long change(CellView put) {
          return Long.MAX_VALUE;
        }
      };

  /** The part that a cell plays. */
  enum Part {
    /** It stays, whatever the floor is. */
    NONE,
    /** A version of its column, before which there was none. */
    FIRST,
    /** A version that replaces an older one. */
    NEXT,
    /** A version that says that the column is deleted, and replaces an older one. */
    DELETION,
    /** What is noted of a change beside its versions. It replaces nothing: written once. */
    NOTE
  }

  /** Which part a cell with a value plays. The timestamps of versions are their changes. */
  Part part(CellView put);

  /** The number of the change that wrote a cell which has a part in the history. */
  long change(CellView put);
}
