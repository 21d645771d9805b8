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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A workload of which a table shows whether rows change as a whole: the columns of a row, in two
 * families, always get the same number, and numbers ascend. Each row is written by one thread at a
 * time; any number may read.
 */
public final class EqualColumns {
  private static final List<String> COLUMNS = List.of("f:a", "f:b", "g:a", "g:b");
  private static final int PAGE_BYTES = 500; // rows are cut in the middle

  private final Map<String, Long> attempted = new ConcurrentHashMap<>();
  private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
  private final List<Violation> violations = new ArrayList<>(); // guarded by itself
  private long checked; // guarded by violations
  private final boolean serverTime;

  /** A workload whose numbers are the timestamps of its cells. */
  public EqualColumns() {
    this(false);
  }

  private EqualColumns(boolean serverTime) {
    this.serverTime = serverTime;
  }

  /** A workload whose cells get the servers' times: of two writes, the later one is read. */
  public static EqualColumns withServerTime() {
    return new EqualColumns(true);
  }

  /** Writes the next number to a row; returns false if it is not known whether it was written. */
  public boolean write(Tables tables, String table, String row) {
    long number = attempted.merge(row, 1L, Long::sum);
    CellBatchBuilder batch = new CellBatchBuilder();
    for (String column : COLUMNS) {
      batch.put(
          Bytes.utf8(row),
          TableFixture.family(column),
          TableFixture.qualifier(column),
          serverTime ? Cell.SERVER_TIME : number,
          Bytes.utf8(Long.toString(number)));
    }
    Attempt attempt = Attempt.of(() -> tables.apply(table, batch.build(), Tables.ANY_TXN, true));
    if (attempt != Attempt.DONE) {
      return false;
    }
    acknowledged.merge(row, number, Math::max);
    return true;
  }

  /** The rows that were written. */
  public Set<String> rows() {
    return attempted.keySet();
  }

  /** Reads one row and looks at it. */
  public void get(Tables tables, String table, String row) {
    long least = acknowledged.getOrDefault(row, 0L);
    ReadPredicate newest = ReadPredicate.rows(RowRange.row(Bytes.utf8(row))).withHistory(1);
    CellPage page = TableFixture.answer(tables.read(table, newest, ScanOptions.DEFAULT, 1 << 20));
    look("get", row, columns(TableFixture.cells(page)), least);
  }

  /** Scans all rows and looks at them. */
  public void scan(Tables tables, String table) {
    Map<String, Long> least = Map.copyOf(acknowledged);
    List<Cell> cells = new ArrayList<>();
    try (TableScan scan =
        tables.scan(table, ReadPredicate.ALL.withHistory(1), ScanOptions.DEFAULT)) {
      CellPage page;
      do {
        page = scan.next(PAGE_BYTES);
        cells.addAll(TableFixture.cells(page));
      } while (page.more());
    }
    Map<String, List<Cell>> rows = new LinkedHashMap<>();
    cells.forEach(
        cell -> rows.computeIfAbsent(cell.row().toUtf8(), _ -> new ArrayList<>()).add(cell));
    least.forEach((row, _) -> rows.putIfAbsent(row, List.of()));
    rows.forEach((row, of) -> look("scan", row, columns(of), least.getOrDefault(row, 0L)));
  }

  private static Map<String, String> columns(List<Cell> cells) {
    Map<String, String> columns = new LinkedHashMap<>();
    cells.forEach(
        cell -> columns.put(cell.family() + ":" + cell.qualifier(), cell.value().toUtf8()));
    return columns;
  }

  /** Looks at a row as it was read, when at least such a number had been acknowledged. */
  void look(String how, String row, Map<String, String> columns, long least) {
    synchronized (violations) {
      checked++;
      boolean whole = columns.isEmpty() || columns.keySet().containsAll(COLUMNS);
      if (!whole || columns.values().stream().distinct().count() > 1) {
        violations.add(new Violation(Anomaly.ROW_TORN, how + " of row " + row + ": " + columns));
        return;
      }
      long number = columns.isEmpty() ? 0 : Long.parseLong(columns.values().iterator().next());
      if (number < least) {
        violations.add(
            new Violation(
                Anomaly.WRITE_LOST,
                "%s of row %s: %d, after %d was acknowledged or read"
                    .formatted(how, row, number, least)));
      } else if (number > 0) {
        acknowledged.merge(row, number, Math::max); // what was read is durable
      }
    }
  }

  public Verdict verdict() {
    synchronized (violations) {
      return new Verdict(checked, violations);
    }
  }
}
