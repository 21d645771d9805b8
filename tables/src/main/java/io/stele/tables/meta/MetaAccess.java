package io.stele.tables.meta;

import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.predicate.ReadPredicate;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** How {@link MetaTable} reaches META0 and META1, wherever their tablets are. */
public interface MetaAccess {
  /**
   * Commits cells to a META table, all or nothing.
   *
   * @param commitMaxTxn fails with {@code Conflict} if one of the rows was changed by a later
   *     transaction; {@link io.stele.base.table.Tables#ANY_TXN} for any
   * @param waitForSync completed only when they are durable
   * @return the transaction
   */
  CompletableFuture<Long> apply(
      String metaTable, CellBatch cells, long commitMaxTxn, boolean waitForSync);

  /**
   * Reads cells of a META table in their order, also those that are not durable yet: whoever
   * decides by them writes behind them.
   *
   * @param each gets the cells; false to end
   * @return the transaction at which they were read
   */
  long scan(String metaTable, ReadPredicate predicate, Predicate<Cell> each);
}
