package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What is done with rows: by a tablet server to those that it serves, and by a client that passes
 * it on to the right server.
 *
 * <p>Futures fail, and methods throw, with a {@code SteleException}: {@code NotFound} for an
 * unknown table, {@code NotServing} where the tablet is not here, {@code InvalidRequest} for a
 * family the schema does not have, {@code Conflict} where a row is newer than the caller knows,
 * {@code Exhausted} where writers must slow down, {@code Unavailable} after a request was deferred
 * too long.
 *
 * <p>Methods that return a future block only for throttling and, in a server, for reading files.
 * The others may take long: call them from threads that may wait.
 */
public interface Tables {
  /** A {@code commitMaxTxn} that every row satisfies. */
  long ANY_TXN = Long.MAX_VALUE;

  /**
   * The same tables at a level of consistency other than the usual. Replicated tables alone have
   * such levels: asking another table in this way fails with {@code InvalidRequest}.
   */
  default Tables at(Consistency consistency) {
    if (!consistency.equals(Consistency.DEFAULT)) {
      throw new InvalidRequestException(
          "acknowledgements by "
              + consistency.acks()
              + ", reads from "
              + consistency.reads()
              + ": these are of replicated tables; a tablet table has one owner, and no levels");
    }
    return this;
  }

  // ---- writing

  /**
   * Commits cells: all of them, whatever their rows and families, or nothing. Cells with the
   * timestamp {@link io.stele.base.cell.Cell#SERVER_TIME} get the server's.
   *
   * @param commitMaxTxn fails with {@code Conflict} if one of the rows was changed by a later
   *     transaction
   * @param waitForSync false to be answered before the cells are durable
   * @return the transaction
   */
  CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync);

  /** Commits each batch, of one row each, on its own; answers are in the order of the batches. */
  CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows);

  /** Waits until a transaction, and so all before it, is durable; answers the newest that is. */
  CompletableFuture<Long> sync(long txn);

  /** Commits one of two changes of a row, by what the row holds. */
  CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request);

  /** Appends to and adds to columns of a row; answers the cells that it wrote. */
  CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules);

  /** Erases all rows of a range; answers how many there were. Not atomic over the range. */
  long deleteRows(String table, RowRange rows);

  /**
   * Erases the rows of a range from its start, and stops where a tablet is not served any more.
   * Fails only if nothing was erased, so that no row that was erased goes uncounted.
   */
  default RowsDeleted deleteServedRows(String table, RowRange rows) {
    return RowsDeleted.all(deleteRows(table, rows));
  }

  /** Erases all rows at once, by dropping the files. */
  void truncate(String table);

  // ---- reading

  /**
   * Reads what fits one answer: for gets of a row or a few. {@link CellPage#more} tells that there
   * is more than {@code maxBytes}; go on with a scan.
   */
  CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes);

  /** Starts a scan; nothing is read yet. */
  TableScan scan(String table, ReadPredicate predicate, ScanOptions options);

  /** Rows that part the table into pieces of about equal size, in order. */
  List<RowSample> sampleRows(String table);
}
