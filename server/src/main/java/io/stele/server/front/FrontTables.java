package io.stele.server.front;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.Consistency;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.RowSample;
import io.stele.base.table.RowsDeleted;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Rows as a front has them at the time of each request: tables come and go with their roles. */
final class FrontTables implements Tables {
  private final Supplier<Tables> now;

  FrontTables(Supplier<Tables> now) {
    this.now = now;
  }

  /** Failures are in the future, whenever they show. */
  private static <T> CompletableFuture<T> attempt(Supplier<CompletableFuture<T>> request) {
    try {
      return request.get();
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public Tables at(Consistency consistency) {
    return new FrontTables(() -> now.get().at(consistency));
  }

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return attempt(() -> now.get().apply(table, cells, commitMaxTxn, waitForSync));
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    return attempt(() -> now.get().applyRows(table, rows));
  }

  @Override
  public CompletableFuture<Long> sync(long txn) {
    return attempt(() -> now.get().sync(txn));
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    return attempt(() -> now.get().checkAndMutate(table, request));
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    return attempt(() -> now.get().readModifyWrite(table, row, rules));
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    return now.get().deleteRows(table, rows);
  }

  @Override
  public RowsDeleted deleteServedRows(String table, RowRange rows) {
    return now.get().deleteServedRows(table, rows);
  }

  @Override
  public void truncate(String table) {
    now.get().truncate(table);
  }

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    return attempt(() -> now.get().read(table, predicate, options, maxBytes));
  }

  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    return now.get().scan(table, predicate, options);
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    return now.get().sampleRows(table);
  }
}
