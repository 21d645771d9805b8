package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.Consistency;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.RowSample;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A server's tables at a level of consistency other than the usual. */
final class TablesAtLevel implements Tables {
  private final ReplicaServer server;
  private final Consistency level;

  TablesAtLevel(ReplicaServer server, Consistency level) {
    this.server = server;
    this.level = level;
  }

  @Override
  public Tables at(Consistency consistency) {
    return server.at(consistency);
  }

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return server.apply(table, cells, commitMaxTxn, waitForSync, level.acks());
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    return server.applyRows(table, rows, level.acks());
  }

  @Override
  public CompletableFuture<Long> sync(long txn) {
    return server.sync(txn);
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    return server.checkAndMutate(table, request);
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    return server.readModifyWrite(table, row, rules);
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    return server.deleteRows(table, rows, level);
  }

  @Override
  public void truncate(String table) {
    server.truncate(table);
  }

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    return server.read(table, predicate, options, maxBytes, level.reads());
  }

  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    return server.scan(table, predicate, options, level.reads());
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    return server.sampleRows(table);
  }
}
