package io.stele.it.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.RowRule;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.it.metastore.Workers;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/** Calls to one server over and over, each noted with what came of it. */
final class PinnedCalls {
  /** What came of a call. */
  enum End {
    SUCCESS,
    REFUSED,
    UNKNOWN
  }

  /**
   * One call.
   *
   * @param row that it wrote; empty for a read
   * @param sent by the system's clock, before it left
   */
  record Call(String row, long sent, End end) {}

  static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes QUALIFIER = Bytes.utf8("q");
  private static final int PAGE_BYTES = 1 << 20;
  private static final Duration PACE = Duration.ofMillis(60); // the servers need the processor too

  private final Tables tables;
  private final String table;
  private final String rows;
  private final Clock clock = Clock.system();
  private final AtomicInteger numbers = new AtomicInteger();
  private final List<Call> calls = new ArrayList<>(); // guarded by itself
  private final Workers workers = new Workers("pinned", 1);

  /**
   * Not started yet.
   *
   * @param rows what the rows that it writes begin with
   */
  PinnedCalls(Tables tables, String table, String rows) {
    this.tables = tables;
    this.table = table;
    this.rows = rows;
  }

  void start(int count) {
    for (int i = 0; i < count; i++) {
      workers.start(
          random -> {
            if (call(random).end() != End.SUCCESS) {
              workers.refused();
            }
            workers.pause(PACE);
          });
    }
  }

  /** Reads, writes, or adds to a counter of its own. */
  Call call(RandomGenerator random) {
    int dice = random.nextInt(3);
    String row = dice == 0 ? "" : "%s%06d".formatted(rows, numbers.incrementAndGet());
    long sent = clock.nanos();
    End end;
    try {
      switch (dice) {
        case 0 -> read();
        case 1 -> put(row);
        default -> add(row);
      }
      end = End.SUCCESS;
    } catch (OutcomeUnknownException e) {
      end = End.UNKNOWN;
    } catch (SteleException e) {
      end = End.REFUSED;
    }
    Call call = new Call(row, sent, end);
    synchronized (calls) {
      calls.add(call);
    }
    return call;
  }

  private void read() {
    ReadPredicate one = ReadPredicate.rows(RowRange.row(Bytes.utf8("known")));
    TableFixture.answer(tables.read(table, one, ScanOptions.DEFAULT, PAGE_BYTES));
  }

  private void put(String row) {
    CellBatchBuilder batch = new CellBatchBuilder();
    batch.put(Bytes.utf8(row), FAMILY, QUALIFIER, Cell.SERVER_TIME, Bytes.utf8(row));
    TableFixture.answer(tables.apply(table, batch.build(), Tables.ANY_TXN, true));
  }

  private void add(String row) {
    TableFixture.answer(
        tables.readModifyWrite(
            table, Bytes.utf8(row), List.of(new RowRule.Increment(FAMILY, QUALIFIER, 1))));
  }

  /** All that have ended. */
  List<Call> ended() {
    synchronized (calls) {
      return List.copyOf(calls);
    }
  }

  long count(End end, long sentAfter) {
    return ended().stream().filter(c -> c.end() == end && c.sent() > sentAfter).count();
  }

  void stop() throws InterruptedException {
    workers.stop();
  }
}
