package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.predicate.ReadPredicate;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** How {@link MetaTable} reaches META0 and META1, wherever their tablets are. */
public interface MetaAccess {
  /**
   * Commits cells to a META table, all or nothing; where their rows are on several servers, all or
   * nothing on each, one after the other, in the order of the rows.
   *
   * @param commitMaxTxn fails with {@code Conflict} if one of the rows was changed by a later
   *     transaction; {@link io.stele.base.table.Tables#ANY_TXN} for any. Another one is meant for
   *     rows that are {@link #together}
   * @param waitForSync completed only when they are durable
   * @return the transaction, if it is one of this very server; else 0
   */
  CompletableFuture<Long> apply(
      String metaTable, CellBatch cells, long commitMaxTxn, boolean waitForSync);

  /**
   * Reads cells of a META table in their order, also those that are not durable yet: whoever
   * decides by them writes behind them.
   *
   * @param each gets the cells; false to end
   * @return the transaction at which they were read; 0 if that is not one, because they are on
   *     several servers
   */
  default long scan(String metaTable, ReadPredicate predicate, Predicate<Cell> each) {
    return scan(metaTable, predicate, true, each);
  }

  /**
   * The same.
   *
   * @param latest false to read only what is durable: what no crash can take back
   */
  long scan(String metaTable, ReadPredicate predicate, boolean latest, Predicate<Cell> each);

  /**
   * The same for who knows how many rows suffice.
   *
   * @param rows more than these need not be fetched; 0 for all
   */
  default long scan(
      String metaTable, ReadPredicate predicate, boolean latest, int rows, Predicate<Cell> each) {
    return scan(metaTable, predicate, latest, each);
  }

  /**
   * Parts rows of a META table by the servers that have them. Only such as are together can be read
   * as of one transaction, and changed if none was since.
   *
   * @param rows ascending
   * @return at least one part, if there is a row; each ascending, in the order of their first rows
   */
  List<List<Bytes>> together(String metaTable, List<Bytes> rows);
}
