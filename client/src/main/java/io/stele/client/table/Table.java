package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.Consistency;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.RowSample;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.Tables;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * One table. Calls return when their changes are durable. Any number of threads may share it.
 *
 * <pre>{@code
 * Table users = stele.table("users");
 * users.put("42", "name", "first", "Ada");
 * Optional<Row> row = users.get("42");
 * }</pre>
 */
public final class Table {
  private static final int GET_BYTES = 4 << 20;

  private final Tables tables;
  private final String name;

  public Table(Tables tables, String name) {
    this.tables = tables;
    this.name = name;
  }

  public String name() {
    return name;
  }

  /**
   * The same table at a level of consistency, which replicated tables have. By default a change is
   * acknowledged when a majority of the replicas has it, and one replica is read from.
   *
   * <pre>{@code
   * Table events = stele.table("events").at(Consistency.DEFAULT.withReads(Reads.MAJORITY));
   * }</pre>
   *
   * @throws io.stele.base.error.InvalidRequestException when it is used, if the table has no levels
   */
  public Table at(Consistency consistency) {
    return new Table(tables.at(consistency), name);
  }

  // ---- writing

  public void put(String row, String family, String qualifier, String value) {
    mutate(RowMutation.of(row).put(family, qualifier, value));
  }

  /** Changes a row, all or nothing. */
  public void mutate(RowMutation mutation) {
    await(() -> mutateAsync(mutation));
  }

  public CompletableFuture<Long> mutateAsync(RowMutation mutation) {
    return tables.apply(name, mutation.build(), Tables.ANY_TXN, true);
  }

  /** Changes rows, each on its own; the answers are in the order of the mutations. */
  public List<RowOutcome> mutateAll(List<RowMutation> mutations) {
    return await(tables.applyRows(name, mutations.stream().map(RowMutation::build).toList()));
  }

  /** A writer that gathers changes and sends them in the background, many at a time. */
  public BatchWriter writer() {
    return new BatchWriter(tables, name);
  }

  /**
   * Commits packed cells of any rows that one server holds, all or nothing.
   *
   * @param commitMaxTxn the newest transaction that may have changed the rows
   * @return the transaction
   */
  public long apply(CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return await(() -> tables.apply(name, cells, commitMaxTxn, waitForSync));
  }

  /** Waits until a transaction is durable; returns the newest that is. */
  public long sync(long txn) {
    return await(tables.sync(txn));
  }

  /** Changes a row by what it holds; true if the condition was met. */
  public boolean checkAndMutate(CheckAndMutate request) {
    return await(() -> tables.checkAndMutate(name, request)).met();
  }

  /** Appends to and adds to columns of a row; returns the cells that this wrote. */
  public Row readModifyWrite(Bytes row, List<RowRule> rules) {
    return new Row(row, Pages.cells(await(() -> tables.readModifyWrite(name, row, rules))));
  }

  /** Adds to a counter, and returns its new value. */
  public long increment(String row, String family, String qualifier, long amount) {
    Row written =
        readModifyWrite(
            Bytes.utf8(row),
            List.of(new RowRule.Increment(Bytes.utf8(family), Bytes.utf8(qualifier), amount)));
    return Pages.bigEndian(written.cells().getFirst().value());
  }

  /** Erases all rows of a range; returns how many there were. Not atomic over the range. */
  public long deleteRows(RowRange rows) {
    return tables.deleteRows(name, rows);
  }

  public void truncate() {
    tables.truncate(name);
  }

  // ---- reading

  /** The newest version of each column of a row; nothing if there is none. */
  public Optional<Row> get(String row) {
    return get(Bytes.utf8(row));
  }

  public Optional<Row> get(Bytes row) {
    return get(row, ReadPredicate.ALL.withHistory(1));
  }

  /** What a predicate wants of a row; the predicate's own rows do not count. */
  public Optional<Row> get(Bytes row, ReadPredicate predicate) {
    return await(() -> getAsync(row, predicate));
  }

  public CompletableFuture<Optional<Row>> getAsync(Bytes row, ReadPredicate predicate) {
    ReadPredicate ofRow = predicate.withRows(List.of(RowRange.row(row)));
    return tables
        .read(name, ofRow, ScanOptions.DEFAULT, GET_BYTES)
        .thenCompose(page -> page.more() ? inPieces(ofRow) : done(toRow(row, page)));
  }

  private static Optional<Row> toRow(Bytes row, CellPage page) {
    List<Cell> cells = Pages.cells(page);
    return cells.isEmpty() ? Optional.empty() : Optional.of(new Row(row, cells));
  }

  private static <T> CompletableFuture<T> done(T answer) {
    return CompletableFuture.completedFuture(answer);
  }

  /** A row larger than one answer; on a thread that may wait, as the network's may not. */
  private CompletableFuture<Optional<Row>> inPieces(ReadPredicate predicate) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (RowScan scan = scan(predicate)) {
            return scan.next();
          }
        },
        task -> Thread.ofVirtual().name("stele-large-row").start(task));
  }

  /** Rows in their order. */
  public RowScan scan(ReadPredicate predicate) {
    return scan(predicate, ScanOptions.DEFAULT);
  }

  public RowScan scan(ReadPredicate predicate, ScanOptions options) {
    return new PagedRowScan(tables.scan(name, predicate, options));
  }

  /** Rows that part the table into pieces of about equal size. */
  public List<RowSample> sampleRows() {
    return tables.sampleRows(name);
  }

  /** Does what this thread then waits for: it may as well send and receive it by itself. */
  private static <T> T await(Supplier<CompletableFuture<T>> work) {
    return await(ScopedValue.where(RowConnections.CALLER_WAITS, true).call(work::get));
  }

  static <T> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw failure(e);
    }
  }

  /** What made a future fail, as it is thrown to callers. */
  static SteleException failure(Throwable problem) {
    Throwable found = problem;
    while (found instanceof CompletionException && found.getCause() != null) {
      found = found.getCause();
    }
    return found instanceof SteleException known
        ? known
        : new OutcomeUnknownException("it may or may not have been done: " + found, found);
  }
}
