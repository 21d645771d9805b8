package io.stele.testkit.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.testkit.history.Anomaly;
import io.stele.testkit.history.Verdict;
import io.stele.testkit.history.Violation;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * A workload for tables that merge by time: each row is changed by one thread, and each change has
 * a timestamp of its own, later than all before it. A change puts a value that follows from its row
 * and time, or erases one earlier value, or all earlier ones.
 *
 * <p>In whatever order changes arrive, and however often, of a row there must be all values that
 * were acknowledged and not erased, and none that was not put, or erased with an acknowledgement. A
 * change whose outcome is unknown may be there or not.
 */
public final class StampedRows {
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes QUALIFIER = Bytes.utf8("stamped");
  private static final int PAGE_BYTES = 4 << 20;
  private static final int MOST_VALUE = 400; // bytes, told in twice as many digits
  private static final int SHOWN = 24; // of a value's digits

  /** What a change does. */
  sealed interface Deed {
    /** Puts the value that follows from row and time. */
    record Put() implements Deed {}

    /** Erases the value that was put at a time. */
    record EraseOne(long put) implements Deed {}

    /** Erases all that is older than the change itself. */
    record EraseOlder() implements Deed {}
  }

  /** A change, and what is known of it. */
  record Change(Deed deed, Attempt attempt) {}

  private final Clock clock;
  private final Map<String, NavigableMap<Long, Change>> rows = new ConcurrentHashMap<>(); // by time
  private final List<Violation> violations = new ArrayList<>(); // guarded by itself
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final AtomicLong checked = new AtomicLong();

  /** Stamped by this clock. */
  public StampedRows(Clock clock) {
    this.clock = clock;
  }

  /**
   * Changes a row; returns false if it is not known whether it was changed. Nobody else may change
   * the row, or read it by {@link #read}, at the same time.
   */
  public boolean write(Tables tables, String table, String row, RandomGenerator random) {
    NavigableMap<Long, Change> changes = rows.computeIfAbsent(row, _ -> new TreeMap<>());
    long time = Math.max(clock.micros(), changes.isEmpty() ? 1 : changes.lastKey() + 1);
    Deed deed = choose(changes, random);
    synchronized (changes) {
      changes.put(time, new Change(deed, Attempt.UNKNOWN));
    }
    CellBatchBuilder batch = new CellBatchBuilder();
    batch.add(cell(Bytes.utf8(row), row, time, deed));
    Attempt attempt = Attempt.of(() -> tables.apply(table, batch.build(), Tables.ANY_TXN, true));
    synchronized (changes) {
      changes.put(time, new Change(deed, attempt));
    }
    (attempt == Attempt.DONE ? acknowledged : unknown).incrementAndGet();
    return attempt == Attempt.DONE;
  }

  private static Deed choose(NavigableMap<Long, Change> changes, RandomGenerator random) {
    int dice = random.nextInt(16);
    if (dice == 0) {
      return new Deed.EraseOlder();
    }
    List<Long> puts =
        changes.entrySet().stream()
            .filter(change -> change.getValue().deed() instanceof Deed.Put)
            .map(Map.Entry::getKey)
            .toList();
    return dice < 3 && !puts.isEmpty()
        ? new Deed.EraseOne(puts.get(random.nextInt(puts.size())))
        : new Deed.Put();
  }

  private static Cell cell(Bytes key, String row, long time, Deed deed) {
    return switch (deed) {
      case Deed.Put() -> Cell.put(key, FAMILY, QUALIFIER, time, Bytes.utf8(value(row, time)));
      case Deed.EraseOne(long put) -> Cell.eraseCell(key, FAMILY, QUALIFIER, put);
      case Deed.EraseOlder() -> Cell.eraseColumn(key, FAMILY, QUALIFIER, 0, time);
    };
  }

  /** Of different lengths, and different all over. */
  static String value(String row, long time) {
    SplittableRandom random = new SplittableRandom(row.hashCode() * 31L + time);
    byte[] bytes = new byte[8 + random.nextInt(MOST_VALUE)];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  public long acknowledgedCount() {
    return acknowledged.get();
  }

  /** Reads a row, which must have all that was acknowledged. */
  public void read(Tables tables, String table, String row) {
    ReadPredicate ofRow = ReadPredicate.rows(RowRange.row(Bytes.utf8(row)));
    List<Cell> cells =
        TableFixture.cells(
            TableFixture.answer(tables.read(table, ofRow, ScanOptions.DEFAULT, PAGE_BYTES)));
    look("read of ", row, byTime(cells));
  }

  private static NavigableMap<Long, String> byTime(List<Cell> cells) {
    NavigableMap<Long, String> values = new TreeMap<>();
    cells.forEach(cell -> values.put(cell.timestamp(), cell.value().toUtf8()));
    return values;
  }

  /**
   * Compares all that a table has with what was written; to be called while nobody writes.
   *
   * @param cells of all rows, however they were read
   */
  public Verdict check(List<Cell> cells) {
    Map<String, NavigableMap<Long, String>> found = new LinkedHashMap<>();
    for (Cell cell : cells) {
      found
          .computeIfAbsent(cell.row().toUtf8(), _ -> new TreeMap<>())
          .put(cell.timestamp(), cell.value().toUtf8());
    }
    rows.keySet().forEach(row -> look("", row, found.getOrDefault(row, new TreeMap<>())));
    found.forEach(
        (row, values) -> {
          if (!rows.containsKey(row)) {
            violated(Anomaly.WRITE_UNEXPLAINED, "nobody wrote row " + row + ": " + values);
          }
        });
    return verdict();
  }

  /** What was found so far. */
  public Verdict verdict() {
    synchronized (violations) {
      return new Verdict(checked.get(), violations);
    }
  }

  private void look(String how, String row, NavigableMap<Long, String> found) {
    NavigableMap<Long, Change> changes = rows.computeIfAbsent(row, _ -> new TreeMap<>());
    synchronized (changes) {
      for (Violation each : compare(row, changes, found)) {
        violated(each.anomaly(), how + each.message());
      }
    }
    checked.incrementAndGet();
  }

  private void violated(Anomaly anomaly, String what) {
    synchronized (violations) {
      violations.add(new Violation(anomaly, what));
    }
  }

  /** What is wrong with the values of a row, by their times. */
  static List<Violation> compare(
      String row, NavigableMap<Long, Change> changes, NavigableMap<Long, String> found) {
    List<Violation> wrong = new ArrayList<>();
    found.forEach((time, value) -> explain(row, changes, time, value).ifPresent(wrong::add));
    for (Map.Entry<Long, Change> each : changes.entrySet()) {
      if (each.getValue().attempt() == Attempt.DONE
          && each.getValue().deed() instanceof Deed.EraseOne(long put)
          && found.containsKey(put)) {
        wrong.add(
            new Violation(
                Anomaly.WRITE_LOST,
                "row %s has the value of %d: its erasure %d was acknowledged"
                    .formatted(row, put, each.getKey())));
      }
    }
    lost(row, changes, found).ifPresent(wrong::add);
    return wrong;
  }

  private static Optional<Violation> explain(
      String row, NavigableMap<Long, Change> changes, long time, String value) {
    Change change = changes.get(time);
    if (change == null || !(change.deed() instanceof Deed.Put)) {
      return Optional.of(
          new Violation(
              Anomaly.WRITE_UNEXPLAINED,
              "row %s has a value of %d, at which none was put".formatted(row, time)));
    }
    if (!value.equals(value(row, time))) {
      return Optional.of(
          new Violation(
              Anomaly.WRITE_DIFFERS,
              "row %s has %s of %d, where %s was put"
                  .formatted(row, shown(value), time, shown(value(row, time)))));
    }
    return Optional.empty();
  }

  private static String shown(String value) {
    return value.length() > SHOWN ? value.substring(0, SHOWN) + "…" : value;
  }

  /**
   * What is missing. The last erasure of all older values that took effect is the last that was
   * acknowledged, or a later one of unknown outcome: one of these must explain all that is there.
   */
  private static Optional<Violation> lost(
      String row, NavigableMap<Long, Change> changes, NavigableMap<Long, String> found) {
    List<Long> ends = new ArrayList<>(List.of(Long.MIN_VALUE));
    Map<Long, Long> erased = new TreeMap<>();
    changes.forEach(
        (time, change) -> {
          switch (change.deed()) {
            case Deed.EraseOlder() -> {
              if (change.attempt() == Attempt.DONE) {
                ends.clear();
              }
              ends.add(time);
            }
            case Deed.EraseOne(long put) -> erased.put(put, time);
            case Deed.Put() -> {}
          }
        });
    String problem = "";
    for (long end : ends) {
      problem = missing(changes, found, erased, end);
      if (problem.isEmpty()) {
        return Optional.empty();
      }
    }
    return Optional.of(
        new Violation(
            Anomaly.WRITE_LOST, "row %s has %d values, %s".formatted(row, found.size(), problem)));
  }

  /** What speaks against an erasure of all before a time being the last; empty if nothing does. */
  private static String missing(
      NavigableMap<Long, Change> changes,
      NavigableMap<Long, String> found,
      Map<Long, Long> erased,
      long end) {
    if (!found.headMap(end).isEmpty()) {
      return "one of %d: all before %d were erased".formatted(found.firstKey(), end);
    }
    for (Map.Entry<Long, Change> each : changes.tailMap(end).entrySet()) {
      boolean acknowledged =
          each.getValue().deed() instanceof Deed.Put && each.getValue().attempt() == Attempt.DONE;
      if (acknowledged && !erased.containsKey(each.getKey()) && !found.containsKey(each.getKey())) {
        return "and not that of %d, which was acknowledged".formatted(each.getKey());
      }
    }
    return "";
  }

  @Override
  public String toString() {
    return "%d rows, %d changes acknowledged, %d not"
        .formatted(rows.size(), acknowledged.get(), unknown.get());
  }
}
