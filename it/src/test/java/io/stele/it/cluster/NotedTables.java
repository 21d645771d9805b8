package io.stele.it.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.RowSample;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Tables whose failures are counted by their kinds, each with the first that was seen. */
public final class NotedTables implements Tables {
  private final Tables tables;
  private final Map<String, AtomicLong> counts = new ConcurrentSkipListMap<>();
  private final Map<String, String> first = new ConcurrentSkipListMap<>();

  public NotedTables(Tables tables) {
    this.tables = tables;
  }

  /** How often each kind was seen. */
  public Map<String, AtomicLong> counts() {
    return counts;
  }

  /** What the first of each kind said. */
  Map<String, String> first() {
    return first;
  }

  private void note(String operation, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    String kind = cause.getClass().getSimpleName();
    counts.computeIfAbsent(kind, _ -> new AtomicLong()).incrementAndGet();
    first.putIfAbsent(kind, operation + ": " + cause.getMessage());
  }

  private <T> CompletableFuture<T> noted(String operation, Supplier<CompletableFuture<T>> call) {
    return now(operation, call)
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                note(operation, failure);
              }
            });
  }

  private <T> T now(String operation, Supplier<T> call) {
    try {
      return call.get();
    } catch (SteleException e) {
      note(operation, e);
      throw e;
    }
  }

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return noted("apply", () -> tables.apply(table, cells, commitMaxTxn, waitForSync));
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    return noted("applyRows", () -> tables.applyRows(table, rows));
  }

  @Override
  public CompletableFuture<Long> sync(long txn) {
    return noted("sync", () -> tables.sync(txn));
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    return noted("checkAndMutate", () -> tables.checkAndMutate(table, request));
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    return noted("readModifyWrite", () -> tables.readModifyWrite(table, row, rules));
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    return now("deleteRows", () -> tables.deleteRows(table, rows));
  }

  @Override
  public void truncate(String table) {
    tables.truncate(table);
  }

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    return noted("read", () -> tables.read(table, predicate, options, maxBytes));
  }

  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    TableScan scan = now("scan", () -> tables.scan(table, predicate, options));
    return new TableScan() {
      @Override
      public long txn() {
        return scan.txn();
      }

      @Override
      public CellPage next(int maxBytes) {
        return now("scan", () -> scan.next(maxBytes));
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    return now("sampleRows", () -> tables.sampleRows(table));
  }

  @Override
  public String toString() {
    List<String> kinds = new ArrayList<>();
    counts.forEach(
        (kind, count) -> kinds.add("%s %s, first: %s".formatted(count, kind, first.get(kind))));
    return kinds.isEmpty() ? "no failures" : String.join("; ", kinds);
  }
}
