package io.stele.gateway.bigtable.filter;

/**
 * One step of a filter at work. Cells of a row come one by one in their order; what a stage lets
 * through it hands to the next.
 */
interface Stage {
  /** Forgets the row before. */
  default void startRow(byte[] row, int offset, int length) {}

  void accept(FilteredCell cell);

  /** The row is complete. Stages are told in the order in which cells pass them. */
  default void endRow() {}
}
