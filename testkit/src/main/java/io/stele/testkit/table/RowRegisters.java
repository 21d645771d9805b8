package io.stele.testkit.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckAndMutate.Operator;
import io.stele.base.table.CheckAndMutate.ValueComparison;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.testkit.history.HistoryRecorder;
import io.stele.testkit.history.LinearizabilityChecker;
import io.stele.testkit.history.RegisterCall;
import io.stele.testkit.history.RegisterModel;
import io.stele.testkit.history.RegisterResult;
import io.stele.testkit.history.Verdict;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * A workload whose history is recorded: each row is a register that is read, written, erased and
 * written by what it holds, by any number of clients. Every value written is a new one, and all
 * have one timestamp: which of them counts is decided by the order of transactions alone, on
 * whatever server they were made.
 */
public final class RowRegisters {
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes QUALIFIER = Bytes.utf8("value");
  private static final long TIME = 1;
  private static final int PAGE_BYTES = 1 << 20;

  /**
   * A bound that every row satisfies, and with which a client does not repeat a put whose answer it
   * lost: one that takes effect twice, with another between, is in no order of single effects.
   */
  private static final long ONCE = Tables.ANY_TXN - 1;

  private final HistoryRecorder<RegisterCall, RegisterResult> recorder =
      new HistoryRecorder<>(Clock.system());
  private final AtomicLong values = new AtomicLong();
  private final AtomicLong answers = new AtomicLong();

  /** Does something with a row; returns false if there was no answer. */
  public boolean step(
      Tables tables, String table, String client, String row, RandomGenerator random) {
    int dice = random.nextInt(100);
    if (dice < 50) {
      return get(tables, table, client, row).isPresent();
    } else if (dice < 70) {
      return put(tables, table, client, row);
    } else if (dice < 75) {
      return erase(tables, table, client, row);
    }
    Optional<RegisterResult.Found> seen = get(tables, table, client, row);
    return seen.isPresent() && compareAndSet(tables, table, client, row, seen.get().value());
  }

  private Optional<RegisterResult.Found> get(
      Tables tables, String table, String client, String row) {
    return record(client, new RegisterCall.Get(row), () -> read(tables, table, row))
        .map(RegisterResult.Found.class::cast);
  }

  private static RegisterResult read(Tables tables, String table, String row) {
    ReadPredicate ofRow = ReadPredicate.rows(RowRange.row(Bytes.utf8(row))).withHistory(1);
    List<Cell> cells =
        TableFixture.cells(
            TableFixture.answer(tables.read(table, ofRow, ScanOptions.DEFAULT, PAGE_BYTES)));
    return new RegisterResult.Found(cells.stream().findFirst().map(cell -> cell.value().toUtf8()));
  }

  private boolean put(Tables tables, String table, String client, String row) {
    String value = fresh();
    return apply(tables, table, client, new RegisterCall.Put(row, value), put(row, value));
  }

  private boolean erase(Tables tables, String table, String client, String row) {
    return apply(
        tables,
        table,
        client,
        new RegisterCall.Delete(row),
        TableFixture.batch(Cell.eraseColumn(Bytes.utf8(row), FAMILY, QUALIFIER)));
  }

  private boolean apply(
      Tables tables, String table, String client, RegisterCall call, CellBatch cells) {
    return record(
            client,
            call,
            () -> {
              TableFixture.answer(tables.apply(table, cells, ONCE, true));
              return RegisterResult.DONE;
            })
        .isPresent();
  }

  private boolean compareAndSet(
      Tables tables, String table, String client, String row, Optional<String> expected) {
    String value = fresh();
    return record(
            client,
            new RegisterCall.CompareAndSet(row, expected, Optional.of(value)),
            () -> compareAndSet(tables, table, row, expected, value))
        .isPresent();
  }

  private static RegisterResult compareAndSet(
      Tables tables, String table, String row, Optional<String> expected, String value) {
    ReadPredicate column =
        ReadPredicate.ALL.withColumns(ColumnRange.column(FAMILY, QUALIFIER)).withHistory(1);
    Optional<CellBatch> change = Optional.of(put(row, value));
    CheckAndMutate request =
        expected
            .map(
                held ->
                    new CheckAndMutate(
                        Bytes.utf8(row),
                        column,
                        Optional.of(new ValueComparison(Operator.EQUAL, Bytes.utf8(held))),
                        change,
                        Optional.empty()))
            .orElseGet(
                () ->
                    new CheckAndMutate(
                        Bytes.utf8(row), column, Optional.empty(), Optional.empty(), change));
    boolean met = TableFixture.answer(tables.checkAndMutate(table, request)).met();
    return met == expected.isPresent() ? RegisterResult.DONE : RegisterResult.UNEQUAL;
  }

  private static CellBatch put(String row, String value) {
    return TableFixture.batch(
        Cell.put(Bytes.utf8(row), FAMILY, QUALIFIER, TIME, Bytes.utf8(value)));
  }

  private String fresh() {
    return Long.toString(values.incrementAndGet());
  }

  /** Makes a call and records its end. Returns its answer, nothing if there was none. */
  private Optional<RegisterResult> record(
      String client, RegisterCall call, Supplier<RegisterResult> work) {
    HistoryRecorder.Pending<RegisterCall, RegisterResult> pending = recorder.invoke(client, call);
    RegisterResult result;
    try {
      result = work.get();
    } catch (SteleException e) {
      if (Attempt.after(e) == Attempt.UNKNOWN) {
        pending.unknown();
      } else {
        pending.failed();
      }
      return Optional.empty();
    }
    pending.returned(result);
    answers.incrementAndGet();
    return Optional.of(result);
  }

  /** How many calls had an answer. */
  public long answers() {
    return answers.get();
  }

  /** Looks for an order of all calls; to be called while nobody calls. */
  public Verdict check() {
    return new LinearizabilityChecker<>(new RegisterModel()).check(recorder.history());
  }
}
