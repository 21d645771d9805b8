package io.stele.testkit.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.testkit.history.Anomaly;
import io.stele.testkit.history.Verdict;
import io.stele.testkit.history.Violation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * A workload of which a table shows whether it lost anything: each node is a row that points at one
 * that was acknowledged before it was written. Any number of threads may write, to one server after
 * another.
 */
public final class LinkedNodes {
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes PREVIOUS = Bytes.utf8("previous");
  private static final int PAGE_BYTES = 256 << 10;

  private final Map<String, String> attempted = new ConcurrentHashMap<>();
  private final List<String> acknowledged = new ArrayList<>(); // guarded by itself
  private final AtomicLong made = new AtomicLong();

  /** Writes a node; returns false if it is not known whether it was written. */
  public boolean write(Tables tables, String table, RandomGenerator random) {
    // Scattered, so that nodes written one after the other are in different tablets.
    String key = "%016x".formatted(made.incrementAndGet() * 0x9e3779b97f4a7c15L);
    String previous = anyAcknowledged(random);
    attempted.put(key, previous);
    CellBatchBuilder batch = new CellBatchBuilder();
    batch.put(Bytes.utf8(key), FAMILY, PREVIOUS, 1, Bytes.utf8(previous));
    Attempt attempt = Attempt.of(() -> tables.apply(table, batch.build(), Tables.ANY_TXN, true));
    if (attempt != Attempt.DONE) {
      return false; // it may be there later, and nothing may point at it
    }
    synchronized (acknowledged) {
      acknowledged.add(key);
    }
    return true;
  }

  private String anyAcknowledged(RandomGenerator random) {
    synchronized (acknowledged) {
      return acknowledged.isEmpty() ? "" : acknowledged.get(random.nextInt(acknowledged.size()));
    }
  }

  public int acknowledgedCount() {
    synchronized (acknowledged) {
      return acknowledged.size();
    }
  }

  /** Reads all nodes of a table; to be called while nobody writes. */
  public static Map<String, String> read(Tables tables, String table) {
    return read(tables, table, RowRange.ALL);
  }

  /** Reads all nodes of a table that has other rows, too, outside of a range. */
  public static Map<String, String> read(Tables tables, String table, RowRange rows) {
    Map<String, String> found = new LinkedHashMap<>();
    try (TableScan scan = tables.scan(table, ReadPredicate.rows(rows), ScanOptions.DEFAULT)) {
      CellPage page;
      do {
        page = scan.next(PAGE_BYTES);
        for (Cell cell : TableFixture.cells(page)) {
          found.put(cell.row().toUtf8(), cell.value().toUtf8());
        }
      } while (page.more());
    }
    return found;
  }

  /** Compares what a table has with what was written. */
  public Verdict check(Map<String, String> found) {
    List<String> expected;
    synchronized (acknowledged) {
      expected = List.copyOf(acknowledged);
    }
    return check(Map.copyOf(attempted), expected, found);
  }

  static Verdict check(
      Map<String, String> attempted, List<String> acknowledged, Map<String, String> found) {
    List<Violation> violations = new ArrayList<>();
    for (String key : acknowledged) {
      if (!found.containsKey(key)) {
        violations.add(
            new Violation(
                Anomaly.WRITE_LOST, "node " + key + " was acknowledged and is not there"));
      }
    }
    found.forEach(
        (key, previous) -> {
          String written = attempted.get(key);
          if (written == null) {
            violations.add(new Violation(Anomaly.WRITE_UNEXPLAINED, "nobody wrote node " + key));
          } else if (!written.equals(previous)) {
            violations.add(
                new Violation(
                    Anomaly.WRITE_DIFFERS,
                    "node " + key + " points at " + previous + ", and was to at " + written));
          }
          if (!previous.isEmpty() && !found.containsKey(previous)) {
            violations.add(
                new Violation(
                    Anomaly.REFERENCE_UNDEFINED,
                    "node " + key + " points at " + previous + ", which is not there"));
          }
        });
    return new Verdict(found.size(), violations);
  }
}
