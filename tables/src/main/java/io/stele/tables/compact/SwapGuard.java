package io.stele.tables.compact;

import io.stele.tables.tablet.Table;
import java.util.function.Supplier;

/** Keeps tablets as they are while META is told of their new rows. */
public interface SwapGuard {
  /**
   * Runs something while no flush and no compaction puts a file in place, no tablet of a table
   * changes its state, and nobody else saves configurations of it: META would be told of the old
   * rows again, after it was told of the new ones.
   */
  <T> T excluding(Table table, Supplier<T> action);
}
