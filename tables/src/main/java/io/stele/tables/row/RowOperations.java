package io.stele.tables.row;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.cell.Column;
import io.stele.base.cell.RequestMark;
import io.stele.base.cell.RequestMark.InRow;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckAndMutate.ValueComparison;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.RowsDeleted;
import io.stele.base.table.Tables;
import io.stele.tables.read.Scanners;
import io.stele.tables.tablet.OrderedLock;
import io.stele.tables.tablet.OrderedLock.Place;
import io.stele.tables.tablet.Table;
import io.stele.tables.write.WritePath;
import io.stele.tables.write.WritePath.Done;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Changes that depend on what a row holds. The row is read as of the newest transaction, and the
 * change commits only if the row has not been changed since; else it is read again. What it depends
 * on may not be durable yet, but it is before the change in the log, so neither survives alone.
 *
 * <p>Those who change one row in this way take turns, so that they do not spoil each other's reads.
 * Within its turn a request with a mark is first looked for among those that were carried out.
 */
public final class RowOperations {
  private static final int STRIPES = 256;
  private static final int MOST_TRIES = 1_000;

  private final Scanners reads;
  private final WritePath writes;
  private final OrderedLock[] turns = new OrderedLock[STRIPES];

  public RowOperations(Scanners reads, WritePath writes) {
    this.reads = reads;
    this.writes = writes;
    for (int i = 0; i < STRIPES; i++) {
      turns[i] = new OrderedLock(Place.ROW);
    }
  }

  /** One try: reads and commits, or fails with {@link ConflictException}. */
  private interface Attempt<T> {
    T run();
  }

  private <T> T inTurn(Table table, Bytes row, Attempt<T> attempt) {
    OrderedLock turn = turns[(table.name().hashCode() * 31 + row.hashCode()) & (STRIPES - 1)];
    turn.lock();
    try {
      ConflictException last = null;
      for (int tries = 0; tries < MOST_TRIES; tries++) {
        try {
          return attempt.run();
        } catch (ConflictException e) {
          last = e; // somebody else was faster
        }
      }
      throw new ConflictException(
          "row \""
              + row
              + "\" of table \""
              + table.name()
              + "\" was changed by others during each of "
              + MOST_TRIES
              + " tries",
          last);
    } finally {
      turn.unlock();
    }
  }

  /** See {@link Tables#checkAndMutate}. */
  public CompletableFuture<CheckOutcome> checkAndMutate(Table table, CheckAndMutate request) {
    checkRows(request.row(), request.whenMet());
    checkRows(request.row(), request.otherwise());
    Optional<RequestMark> mark =
        request.whenMet().or(request::otherwise).flatMap(RequestMark::of).map(InRow::mark);
    return inTurn(
        table,
        request.row(),
        () -> {
          Optional<Done> done = mark.flatMap(id -> writes.find(table, request.row(), id));
          return done.isPresent()
              ? whenDurable(done.get(), new CheckOutcome(isMet(done.get()), done.get().txn()))
              : tryCheck(table, request);
        });
  }

  /** Of a change that was made before; see {@link CheckAndMutate#once}. */
  private static boolean isMet(Done done) {
    return done.answer().equals(CheckAndMutate.MET);
  }

  private <T> CompletableFuture<T> whenDurable(Done done, T answer) {
    return writes.whenDurable(done.txn()).thenApply(_ -> answer);
  }

  private CompletableFuture<CheckOutcome> tryCheck(Table table, CheckAndMutate request) {
    CellPage page = reads.readLatest(table, request.condition(), request.row());
    boolean met = isMet(page, request.comparison());
    Optional<CellBatch> change = met ? request.whenMet() : request.otherwise();
    if (change.isEmpty()) {
      // The answer must not rest on what a crash could still take away.
      return writes.whenDurable(page.txn()).thenApply(_ -> new CheckOutcome(met, 0));
    }
    return writes
        .apply(table, copy(change.get()), page.txn(), true)
        .thenApply(txn -> new CheckOutcome(met, txn));
  }

  private static boolean isMet(CellPage page, Optional<ValueComparison> comparison) {
    if (page.cells().isEmpty()) {
      return false;
    }
    if (comparison.isEmpty()) {
      return true;
    }
    CellBatch.Reader reader = page.cells().get().read();
    if (!reader.next()) {
      return false;
    }
    Bytes found = reader.cell().value();
    return comparison.get().operator().holds(found.compareTo(comparison.get().value()));
  }

  private static void checkRows(Bytes row, Optional<CellBatch> change) {
    if (change.isEmpty()) {
      return;
    }
    CellBatch.Reader reader = change.get().read();
    while (reader.next()) {
      CellView cell = reader.cell();
      if (row.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) != 0) {
        throw new InvalidRequestException(
            "a conditional change of row \""
                + row
                + "\" has a cell of row \""
                + cell.row()
                + "\": must be of one row");
      }
    }
  }

  /** A try that fails must leave the caller's batch as it was. */
  private static CellBatch copy(CellBatch batch) {
    return CellBatch.trusted(batch.toArray(), 0, batch.length());
  }

  /** See {@link Tables#readModifyWrite}. */
  public CompletableFuture<CellPage> readModifyWrite(Table table, Bytes row, List<RowRule> rules) {
    List<RowRule> changes = rules.stream().filter(rule -> !(rule instanceof RowRule.Once)).toList();
    if (changes.isEmpty()) {
      throw new InvalidRequestException(
          "a change of row \"" + row + "\" without rules: must have at least one");
    }
    Optional<RequestMark> mark =
        rules.stream()
            .flatMap(
                rule ->
                    rule instanceof RowRule.Once(RequestMark id) ? Stream.of(id) : Stream.empty())
            .findFirst();
    return inTurn(
        table,
        row,
        () -> {
          Optional<Done> done = mark.flatMap(id -> writes.find(table, row, id));
          return done.isPresent()
              ? whenDurable(done.get(), page(done.get().txn(), done.get().answer().toArray()))
              : tryModify(table, row, changes, mark);
        });
  }

  /** The cells that a change wrote, by the bytes of their batch. */
  private static CellPage page(long txn, byte[] cells) {
    CellBatch batch = CellBatch.trusted(cells, 0, cells.length).committed(txn);
    return new CellPage(txn, Optional.of(batch), false);
  }

  private CompletableFuture<CellPage> tryModify(
      Table table, Bytes row, List<RowRule> rules, Optional<RequestMark> mark) {
    List<ColumnRange> columns = new ArrayList<>();
    for (RowRule rule : rules) {
      columns.add(ColumnRange.column(rule.family(), rule.qualifier()));
    }
    ReadPredicate newest =
        ReadPredicate.ALL.withColumns(columns.toArray(ColumnRange[]::new)).withHistory(1);
    CellPage page = reads.readLatest(table, newest, row);
    Map<Column, Cell> found = new LinkedHashMap<>();
    if (page.cells().isPresent()) {
      CellBatch.Reader reader = page.cells().get().read();
      while (reader.next()) {
        Cell cell = reader.cell().toCell();
        found.put(new Column(cell.family(), cell.qualifier()), cell);
      }
    }
    Map<Column, Bytes> results = new LinkedHashMap<>();
    for (RowRule rule : rules) {
      Column column = new Column(rule.family(), rule.qualifier());
      Cell before = found.get(column);
      Bytes value = results.getOrDefault(column, before == null ? Bytes.EMPTY : before.value());
      results.put(column, result(row, column, rule, value));
    }
    long newestBefore =
        found.values().stream().mapToLong(Cell::timestamp).max().orElse(Long.MIN_VALUE);
    CellBatchBuilder change = new CellBatchBuilder();
    long micros = Math.max(writes.micros(), newestBefore + 1); // or it would stay unseen
    results.forEach(
        (column, value) -> change.put(row, column.family(), column.qualifier(), micros, value));
    CellBatch batch = change.build();
    byte[] answer = batch.toArray();
    return writes
        .apply(
            table,
            mark.map(id -> id.mark(batch, Bytes.wrap(answer))).orElse(batch),
            page.txn(),
            true)
        .thenApply(txn -> page(txn, answer));
  }

  /** See {@link Tables#deleteRows}. */
  public long deleteRows(Table table, RowRange rows) {
    RangeErasure erasure = new RangeErasure(reads, writes, table);
    erasure.run(rows);
    return erasure.count();
  }

  /** See {@link Tables#deleteServedRows}. */
  public RowsDeleted deleteServedRows(Table table, RowRange rows) {
    RangeErasure erasure = new RangeErasure(reads, writes, table);
    try {
      erasure.run(rows);
    } catch (NotServingException | UnavailableException e) {
      return erasure.soFar().orElseThrow(() -> e);
    }
    return RowsDeleted.all(erasure.count());
  }

  private static Bytes result(Bytes row, Column column, RowRule rule, Bytes value) {
    return switch (rule) {
      case RowRule.Once _ -> throw new IllegalArgumentException("not a change: " + rule);
      case RowRule.Append append -> value.concat(append.value());
      case RowRule.Increment increment -> {
        if (!value.isEmpty() && value.length() != Long.BYTES) {
          throw new InvalidRequestException(
              "column "
                  + column
                  + " of row \""
                  + row
                  + "\" has a value of "
                  + value.length()
                  + " bytes: only one of "
                  + Long.BYTES
                  + " can be added to");
        }
        long number = value.isEmpty() ? 0 : Binary.getLongBigEndian(value.sharedArray(), 0);
        byte[] sum = new byte[Long.BYTES];
        Binary.putLongBigEndian(sum, 0, number + increment.amount());
        yield Bytes.wrap(sum);
      }
    };
  }
}
