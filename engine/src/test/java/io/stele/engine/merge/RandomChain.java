package io.stele.engine.merge;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.cell.Column;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.predicate.TimeRange;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.time.RandomSource;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.ListCursor;
import io.stele.engine.fragment.RandomCells;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/** One random history, cut into a chain. */
final class RandomChain {
  final RandomGenerator random;
  final RandomCells cells;
  final boolean wide;
  final long lastTxn;
  final List<Cell> all = new ArrayList<>();
  final List<List<Cell>> chain = new ArrayList<>();

  RandomChain(long seed) {
    this(seed, RandomSource.seeded(seed * 31 + 7).nextInt(3) > 0, false, false);
  }

  /** One in which changes come more than once. */
  static RandomChain redelivered(long seed) {
    return new RandomChain(seed, RandomSource.seeded(seed).nextInt(4) > 0, true, false);
  }

  /** The same, with no erasures but those of all up to some time. */
  static RandomChain redeliveredPrefixErasures(long seed) {
    return new RandomChain(seed, true, true, true);
  }

  private RandomChain(long seed, boolean wide, boolean redelivered, boolean prefixes) {
    this.random = RandomSource.seeded(seed * 31 + 7);
    random.nextInt(3);
    this.wide = wide;
    this.cells = prefixes ? RandomCells.prefixErasures(seed) : new RandomCells(seed, wide);
    this.lastTxn = random.nextInt(1, 60);
    long txn = 1;
    while (txn <= lastTxn) {
      long end = Math.min(lastTxn, txn + random.nextInt(30));
      List<Cell> fragment = new ArrayList<>();
      for (long each = txn; each <= end; each++) {
        boolean again = redelivered && !all.isEmpty() && random.nextInt(3) == 0;
        fragment.addAll(again ? redeliver(each) : cells.commit(each));
      }
      all.addAll(fragment);
      if (random.nextInt(5) == 0 && !chain.isEmpty()) {
        // A log that had been flushed in part was replayed: its last transactions are in both.
        long replayedFrom = random.nextLong(txn);
        chain.getLast().stream().filter(c -> c.txn() >= replayedFrom).forEach(fragment::add);
      }
      chain.add(fragment);
      txn = end + 1;
    }
  }

  private List<Cell> redeliver(long txn) {
    CellBatchBuilder batch = new CellBatchBuilder();
    for (int n = random.nextInt(1, 5); n > 0; n--) {
      batch.add(all.get(random.nextInt(all.size())));
    }
    return RandomCells.cells(batch.build().committed(txn));
  }

  CellCursor merged() {
    return merged(chain);
  }

  CellCursor merged(List<? extends Collection<Cell>> fragments) {
    return MergeCursor.of(cursors(fragments));
  }

  /** The fragments before some place in the chain. */
  Older older(int before) {
    return before == 0
        ? Older.NONE
        : new Older(
            true,
            chain.subList(0, before).stream()
                .flatMap(Collection::stream)
                .filter(cell -> !cell.kind().isWide())
                .mapToLong(Cell::timestamp)
                .reduce(Long.MIN_VALUE, Math::max));
  }

  CellCursor mergedRow() {
    return MergeCursor.ofRow(cursors(chain));
  }

  private static List<CellCursor> cursors(List<? extends Collection<Cell>> fragments) {
    List<CellCursor> cursors = new ArrayList<>();
    for (Collection<Cell> fragment : fragments) {
      cursors.add(new ListCursor(new TreeSet<>(fragment)));
    }
    return cursors;
  }

  long readTxn() {
    return random.nextLong(lastTxn + 2);
  }

  CellView target() {
    return switch (random.nextInt(4)) {
      case 0 -> CellView.beforeRow(cells.row());
      case 1 -> CellView.beforeFamily(cells.row(), cells.family());
      case 2 -> CellView.beforeColumn(cells.row(), cells.family(), cells.qualifier());
      default -> all.get(random.nextInt(all.size())).view();
    };
  }

  ReadPredicate predicate() {
    ReadPredicate predicate = ReadPredicate.ALL;
    if (random.nextInt(3) > 0) {
      List<RowRange> rows = new ArrayList<>();
      for (int n = random.nextInt(1, 4); n > 0; n--) {
        rows.add(rowRange());
      }
      predicate = predicate.withRows(rows);
    }
    if (random.nextBoolean()) {
      List<ColumnRange> columns = new ArrayList<>();
      for (int n = random.nextInt(1, 4); n > 0; n--) {
        columns.add(columnRange());
      }
      predicate = predicate.withColumns(columns.toArray(ColumnRange[]::new));
    }
    if (random.nextInt(3) == 0) {
      long from = cells.time();
      predicate = predicate.withTime(from, from + 1 + random.nextInt(3));
      if (random.nextBoolean()) {
        long other = cells.time();
        predicate =
            predicate.withTimes(predicate.times().getFirst(), new TimeRange(other, other + 1));
      }
    }
    return switch (random.nextInt(6)) {
      case 0, 1 -> predicate.withHistory(random.nextInt(1, 3));
      case 2 -> predicate.withHistory(-random.nextInt(1, 3));
      default -> predicate;
    };
  }

  private RowRange rowRange() {
    Bytes row = cells.row();
    Bytes other = cells.row();
    return switch (random.nextInt(5)) {
      case 0 -> RowRange.row(row);
      case 1 -> RowRange.prefix(row);
      case 2 -> new RowRange(row, null);
      case 3 -> new RowRange(Bytes.EMPTY, row);
      default -> row.compareTo(other) <= 0 ? new RowRange(row, other) : new RowRange(other, row);
    };
  }

  private Column column() {
    return new Column(cells.family(), cells.qualifier());
  }

  private static ColumnRange columnsBetween(Column one, Column other) {
    return one.compareTo(other) <= 0 ? new ColumnRange(one, other) : new ColumnRange(other, one);
  }

  private ColumnRange columnRange() {
    Bytes qualifier = cells.qualifier();
    return switch (random.nextInt(4)) {
      case 0 -> ColumnRange.family(cells.family());
      case 1 -> ColumnRange.of(cells.family(), qualifier, null);
      case 2 -> columnsBetween(column(), column());
      default -> ColumnRange.column(cells.family(), qualifier);
    };
  }

  PurgePolicy purge() {
    PurgePolicy history = new PurgePolicy.MaxHistory(random.nextInt(1, 4));
    PurgePolicy age = new PurgePolicy.MaxAge(random.nextInt(4));
    return switch (random.nextInt(6)) {
      case 0 -> history;
      case 1 -> age;
      case 2 -> new PurgePolicy.Both(history, age);
      case 3 -> new PurgePolicy.Either(age, history);
      default -> PurgePolicy.NONE;
    };
  }

  SnapshotSet snapshots(List<Long> txns) {
    for (int n = random.nextInt(4); n > 0; n--) {
      txns.add(random.nextLong(lastTxn + 1));
    }
    return new SnapshotSet(txns.stream().mapToLong(Long::longValue).toArray());
  }
}
