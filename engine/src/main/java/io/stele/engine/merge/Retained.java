package io.stele.engine.merge;

import io.stele.base.cell.CellView;

/** What a flush or a compaction keeps of a merged chain, in order. */
public sealed interface Retained permits RetainCursor, TimeRetainCursor {
  /** Moves to the next cell to keep; false at the end. */
  boolean next();

  CellView cell();
}
