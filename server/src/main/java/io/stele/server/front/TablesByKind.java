package io.stele.server.front;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.NotServingException;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Rows of tables of both kinds, each asked of those who have it. */
final class TablesByKind implements Tables {
  private final Kinds kinds;
  private final Supplier<Tables> ofReplicas;
  private final Function<String, Tables> ofTablets;
  private final Supplier<Optional<Tables>> anyTablets;
  private final Consistency consistency;

  /**
   * Both kinds.
   *
   * @param ofTablets those that have tablet tables, for a table of that name; or throws what is to
   *     be told who asks for it
   * @param anyTablets the same for what is asked of no table; none where there are no such tables
   */
  TablesByKind(
      Kinds kinds,
      Supplier<Tables> ofReplicas,
      Function<String, Tables> ofTablets,
      Supplier<Optional<Tables>> anyTablets) {
    this(kinds, ofReplicas, ofTablets, anyTablets, Consistency.DEFAULT);
  }

  private TablesByKind(
      Kinds kinds,
      Supplier<Tables> ofReplicas,
      Function<String, Tables> ofTablets,
      Supplier<Optional<Tables>> anyTablets,
      Consistency consistency) {
    this.kinds = kinds;
    this.ofReplicas = ofReplicas;
    this.ofTablets = ofTablets;
    this.anyTablets = anyTablets;
    this.consistency = consistency;
  }

  /** Which tables have levels shows when one is asked. */
  @Override
  public Tables at(Consistency level) {
    return level.equals(consistency)
        ? this
        : new TablesByKind(kinds, ofReplicas, ofTablets, anyTablets, level);
  }

  private Tables replicas() {
    return ofReplicas.get().at(consistency);
  }

  private Supplier<Tables> tablets(String table) {
    return () -> ofTablets.apply(table).at(consistency);
  }

  private <R> R ask(String table, Function<Tables, R> question) {
    return kinds.ask(table, this::replicas, tablets(table), question);
  }

  private <R> CompletableFuture<R> askLater(
      String table, Function<Tables, CompletableFuture<R>> question) {
    return kinds.askLater(table, this::replicas, tablets(table), question);
  }

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return askLater(table, tables -> tables.apply(table, cells, commitMaxTxn, waitForSync));
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    return askLater(table, tables -> tables.applyRows(table, rows));
  }

  /** Of both kinds, since a transaction does not tell of which it is. */
  @Override
  public CompletableFuture<Long> sync(long txn) {
    Optional<Tables> tablets = anyTablets.get();
    if (tablets.isEmpty()) {
      return ofReplicas.get().sync(txn);
    }
    CompletableFuture<Long> durable = tablets.get().sync(txn);
    Tables replicas;
    try {
      replicas = ofReplicas.get();
    } catch (NotServingException e) {
      return durable; // there is nothing of theirs yet, or no more
    }
    return durable.thenCombine(replicas.sync(txn), (ofTablets, _) -> ofTablets);
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    return askLater(table, tables -> tables.checkAndMutate(table, request));
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    return askLater(table, tables -> tables.readModifyWrite(table, row, rules));
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    return ask(table, tables -> tables.deleteRows(table, rows));
  }

  @Override
  public RowsDeleted deleteServedRows(String table, RowRange rows) {
    return ask(table, tables -> tables.deleteServedRows(table, rows));
  }

  @Override
  public void truncate(String table) {
    boolean _ =
        ask(
            table,
            tables -> {
              tables.truncate(table);
              return true;
            });
  }

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    return askLater(table, tables -> tables.read(table, predicate, options, maxBytes));
  }

  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    return ask(table, tables -> tables.scan(table, predicate, options));
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    return ask(table, tables -> tables.sampleRows(table));
  }
}
