package io.stele.gateway.bigtable.read;

import io.stele.base.table.CellPage;

/** Cells row by row, in the order of the rows or against it; those of a row are in their order. */
interface RowPages extends AutoCloseable {
  /** The next cells, as {@link io.stele.base.table.TableScan#next}. */
  CellPage next(int maxBytes);

  @Override
  void close();
}
