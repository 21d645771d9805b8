package io.stele.testkit.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Tables of which every fifth change or read goes wrong in one way. For one thread. */
final class FaultyTables implements Tables {
  /** What goes wrong. */
  enum Fault {
    /** A change is acknowledged and not made. */
    LOSES_CHANGES,
    /** Of a change, only the first cell is written. */
    TEARS_CHANGES,
    /** A change is made twice. */
    CHANGES_TWICE,
    /** A change is made whatever its condition, and acknowledged. */
    CHECKS_NOTHING,
    /** A change that is made is said to have failed for certain. */
    DENIES_CHANGES,
    /** A read answers what an earlier one did. */
    READS_OLD,
    /** The answer to a change that is made is lost: no fault at all. */
    LOSES_ANSWERS,
    /** A change is not made, and said to be perhaps: no fault at all. */
    KNOWS_NOTHING
  }

  private static final int EVERY = 5;

  private final MemoryTables tables;
  private final Fault fault;
  private final Map<ReadPredicate, CellPage> old = new HashMap<>();
  private int calls;

  FaultyTables(MemoryTables tables, Fault fault) {
    this.tables = tables;
    this.fault = fault;
  }

  private boolean now() {
    return ++calls % EVERY == 0;
  }

  /** A way to make a change, of which some of the cells may be left out. */
  private interface Change<T> {
    CompletableFuture<T> make();
  }

  private <T> CompletableFuture<T> change(Change<T> right, Change<T> torn, T lost) {
    if (!now()) {
      return right.make();
    }
    return switch (fault) {
      case READS_OLD, CHECKS_NOTHING -> right.make();
      case LOSES_CHANGES -> CompletableFuture.completedFuture(lost);
      case TEARS_CHANGES -> torn.make();
      case CHANGES_TWICE -> right.make().thenCompose(_ -> right.make());
      case DENIES_CHANGES ->
          right.make().thenCompose(_ -> failed(new UnavailableException("denied")));
      case LOSES_ANSWERS ->
          right.make().thenCompose(_ -> failed(new OutcomeUnknownException("lost")));
      case KNOWS_NOTHING -> failed(new OutcomeUnknownException("unknown"));
    };
  }

  private static <T> CompletableFuture<T> failed(RuntimeException failure) {
    return CompletableFuture.failedFuture(failure);
  }

  private static CellBatch first(CellBatch whole) {
    CellBatchBuilder first = new CellBatchBuilder();
    CellBatch.Reader reader = whole.read();
    if (reader.next()) {
      first.add(reader.cell().toCell());
    }
    return first.build();
  }

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return change(
        () -> tables.apply(table, cells, commitMaxTxn, waitForSync),
        () -> tables.apply(table, first(cells), commitMaxTxn, waitForSync),
        1L);
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    if (fault == Fault.CHECKS_NOTHING && now()) {
      boolean met = request.whenMet().isPresent();
      CellBatch cells = request.whenMet().or(request::otherwise).orElseThrow();
      return tables.apply(table, cells, ANY_TXN, true).thenApply(txn -> new CheckOutcome(met, txn));
    }
    CheckAndMutate torn =
        new CheckAndMutate(
            request.row(),
            request.condition(),
            request.comparison(),
            request.whenMet().map(FaultyTables::first),
            request.otherwise().map(FaultyTables::first));
    return change(
        () -> tables.checkAndMutate(table, request),
        () -> tables.checkAndMutate(table, torn),
        new CheckOutcome(request.whenMet().isPresent(), 1));
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    Change<CellPage> right = () -> tables.readModifyWrite(table, row, rules);
    RowRule.Increment rule = (RowRule.Increment) rules.getFirst();
    CellBatch one =
        TableFixture.batch(
            Cell.put(
                row,
                rule.family(),
                rule.qualifier(),
                1,
                Bytes.wrap(new byte[] {0, 0, 0, 0, 0, 0, 0, 1})));
    return change(right, right, new CellPage(1, Optional.of(one), false));
  }

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    if (fault == Fault.READS_OLD && now() && old.containsKey(predicate)) {
      return CompletableFuture.completedFuture(old.get(predicate));
    }
    return tables
        .read(table, predicate, options, maxBytes)
        .thenApply(
            page -> {
              old.putIfAbsent(predicate, page);
              return page;
            });
  }

  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    return tables.scan(table, predicate, options);
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    return tables.applyRows(table, rows);
  }

  @Override
  public CompletableFuture<Long> sync(long txn) {
    return tables.sync(txn);
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    return tables.deleteRows(table, rows);
  }

  @Override
  public void truncate(String table) {
    tables.truncate(table);
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    return tables.sampleRows(table);
  }
}
