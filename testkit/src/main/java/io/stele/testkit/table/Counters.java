package io.stele.testkit.table;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.RowRule;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.Tables;
import io.stele.testkit.history.Anomaly;
import io.stele.testkit.history.Verdict;
import io.stele.testkit.history.Violation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A workload of which a table shows whether a change was lost or made twice: each row is a counter,
 * to which any number of threads add 1. Every answer is a number that no other got, above all that
 * were answered before it was asked for; and in the end
 *
 * <pre>  acknowledged &lt;= found &lt;= acknowledged + unknown</pre>
 */
public final class Counters {
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes QUALIFIER = Bytes.utf8("count");
  private static final int PAGE_BYTES = 1 << 20;

  private final Map<String, Counter> counters = new ConcurrentHashMap<>();
  private final List<Violation> violations = new ArrayList<>(); // guarded by itself

  /** What is known of a row. */
  private static final class Counter {
    private final Set<Long> answers = new HashSet<>(); // guarded by this, as all of it
    private long greatest;
    private long unknown;

    private synchronized long greatest() {
      return greatest;
    }

    private synchronized boolean answered(long number) {
      greatest = Math.max(greatest, number);
      return answers.add(number);
    }

    private synchronized void notAnswered() {
      unknown++;
    }
  }

  /** Adds 1 to a row; returns false if it was not acknowledged. */
  public boolean add(Tables tables, String table, String row) {
    Counter counter = counters.computeIfAbsent(row, _ -> new Counter());
    long before = counter.greatest();
    long number;
    try {
      List<RowRule> rule = List.of(new RowRule.Increment(FAMILY, QUALIFIER, 1));
      number =
          number(
              TableFixture.cells(
                  TableFixture.answer(tables.readModifyWrite(table, Bytes.utf8(row), rule))));
    } catch (SteleException e) {
      if (Attempt.after(e) == Attempt.UNKNOWN) {
        counter.notAnswered();
      }
      return false;
    }
    answered(row, counter, number, before);
    return true;
  }

  private void answered(String row, Counter counter, long number, long before) {
    if (!counter.answered(number)) {
      violated(
          Anomaly.WRITE_LOST, "two additions to row %s were answered %d".formatted(row, number));
    } else if (number <= before) {
      violated(
          Anomaly.WRITE_LOST,
          "row %s was answered %d, after %d was before".formatted(row, number, before));
    }
  }

  /** An addition by a client that has read the row, and is going to write it if it is unchanged. */
  public final class Addition {
    private final String row;
    private final long number;
    private final long time;
    private final long txn;

    private Addition(String row, CellPage page) {
      List<Cell> cells = TableFixture.cells(page);
      this.row = row;
      this.number = number(cells) + 1;
      this.time = cells.isEmpty() ? 1 : cells.getFirst().timestamp() + 1;
      this.txn = page.txn();
    }

    /** Writes the row; returns false if that was not acknowledged. */
    public boolean write(Tables tables, String table) {
      Counter counter = counters.computeIfAbsent(row, _ -> new Counter());
      byte[] value = new byte[Long.BYTES];
      Binary.putLongBigEndian(value, 0, number);
      CellBatchBuilder batch = new CellBatchBuilder();
      batch.put(Bytes.utf8(row), FAMILY, QUALIFIER, time, Bytes.wrap(value));
      try {
        TableFixture.answer(tables.apply(table, batch.build(), txn, true));
      } catch (ConflictException e) {
        return false;
      } catch (SteleException e) {
        if (Attempt.after(e) == Attempt.UNKNOWN) {
          counter.notAnswered();
        }
        return false;
      }
      answered(row, counter, number, number - 1); // it may have waited for long
      return true;
    }
  }

  /** Reads a row, to add to what is read later. */
  public Addition read(Tables tables, String table, String row) {
    return new Addition(
        row, TableFixture.answer(tables.read(table, newest(row), ScanOptions.DEFAULT, PAGE_BYTES)));
  }

  private static ReadPredicate newest(String row) {
    return ReadPredicate.rows(RowRange.row(Bytes.utf8(row))).withHistory(1);
  }

  private static long number(List<Cell> cells) {
    return cells.isEmpty() ? 0 : Binary.getLongBigEndian(cells.getFirst().value().sharedArray(), 0);
  }

  private void violated(Anomaly anomaly, String what) {
    synchronized (violations) {
      violations.add(new Violation(anomaly, what));
    }
  }

  public long acknowledgedCount() {
    long sum = 0;
    for (Counter counter : counters.values()) {
      synchronized (counter) {
        sum += counter.answers.size();
      }
    }
    return sum;
  }

  /** Reads all counters and compares them; to be called while nobody adds. */
  public Verdict check(Tables tables, String table) {
    counters.forEach((row, counter) -> check(row, counter, found(tables, table, row)));
    synchronized (violations) {
      return new Verdict(acknowledgedCount(), violations);
    }
  }

  private static long found(Tables tables, String table, String row) {
    return number(
        TableFixture.cells(
            TableFixture.answer(tables.read(table, newest(row), ScanOptions.DEFAULT, PAGE_BYTES))));
  }

  private void check(String row, Counter counter, long found) {
    synchronized (counter) {
      long acknowledged = counter.answers.size();
      if (found < Math.max(acknowledged, counter.greatest)) {
        violated(
            Anomaly.WRITE_LOST,
            "row %s has %d, after %d additions that were acknowledged, the last with %d"
                .formatted(row, found, acknowledged, counter.greatest));
      } else if (found > acknowledged + counter.unknown) {
        violated(
            Anomaly.WRITE_UNEXPLAINED,
            "row %s has %d, after %d additions that were acknowledged and %d that may be"
                .formatted(row, found, acknowledged, counter.unknown));
      }
    }
  }
}
