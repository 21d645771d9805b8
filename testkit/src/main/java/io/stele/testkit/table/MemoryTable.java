package io.stele.testkit.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellKind;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One table of {@link MemoryTables}: every cell that was ever committed, so that any transaction
 * can be read. Guarded by its owner.
 */
final class MemoryTable {
  private final NavigableMap<Bytes, TreeSet<Cell>> rows = new TreeMap<>();
  private final Map<Bytes, Long> newest = new HashMap<>(); // transaction by row
  final TreeSet<Bytes> splits = new TreeSet<>(); // the last rows of all tablets but the last
  TableSchema schema;
  boolean loaded = true;

  MemoryTable(TableSchema schema, List<Bytes> splits) {
    this.schema = schema;
    this.splits.addAll(splits);
  }

  MemoryTable copy() {
    MemoryTable copied = new MemoryTable(schema, List.copyOf(splits));
    rows.forEach((row, cells) -> copied.rows.put(row, new TreeSet<>(cells)));
    copied.newest.putAll(newest);
    return copied;
  }

  long newestTxn(Bytes row) {
    return newest.getOrDefault(row, 0L);
  }

  /** Adds a committed cell. */
  void add(Cell cell) {
    rows.computeIfAbsent(cell.row(), row -> new TreeSet<>()).add(cell);
    newest.put(cell.row(), cell.txn());
  }

  void clear() {
    rows.clear();
    newest.clear();
  }

  /** Rows that hold, or held, something, in order. */
  List<Bytes> rowKeys(RowRange range) {
    NavigableMap<Bytes, TreeSet<Cell>> from = rows.tailMap(range.from(), true);
    return List.copyOf((range.to() == null ? from : from.headMap(range.to(), false)).keySet());
  }

  /** What a predicate wants of a row, as of a transaction; the predicate's rows do not count. */
  List<Cell> row(Bytes row, ReadPredicate predicate, long txn, long now) {
    List<Cell> erasures = new ArrayList<>();
    List<Cell> versions = new ArrayList<>();
    for (Cell cell : rows.getOrDefault(row, new TreeSet<>())) {
      if (cell.txn() <= txn) {
        (cell.kind() == CellKind.PUT ? versions : erasures).add(cell);
      }
    }
    List<Cell> wanted = new ArrayList<>();
    List<Cell> column = new ArrayList<>(); // the visible versions of one, newest first
    Cell previous = null;
    for (Cell version : versions) {
      if (previous != null && sameColumn(previous, version)) {
        if (previous.timestamp() == version.timestamp()) {
          continue; // superseded by a later transaction
        }
      } else {
        addWanted(wanted, column, predicate, now);
        column.clear();
      }
      previous = version;
      if (erasures.stream().noneMatch(e -> e.txn() > version.txn() && e.covers(version))) {
        column.add(version);
      }
    }
    addWanted(wanted, column, predicate, now);
    return wanted;
  }

  private void addWanted(List<Cell> wanted, List<Cell> column, ReadPredicate predicate, long now) {
    if (column.isEmpty()
        || schema.groupOf(column.getFirst().family()).isEmpty()
        || !predicate.wantsColumn(column.getFirst().view())) {
      return;
    }
    PurgePolicy purge = schema.groupOf(column.getFirst().family()).orElseThrow().purge();
    List<Cell> kept = new ArrayList<>();
    for (int newer = 0; newer < column.size(); newer++) {
      Cell version = column.get(newer);
      if (!purge.purges(version.timestamp(), newer, now)
          && predicate.wantsTime(version.timestamp())) {
        kept.add(version);
      }
    }
    int history = predicate.history();
    wanted.addAll(
        history > 0
            ? kept.subList(0, Math.min(history, kept.size()))
            : -history < kept.size() ? kept.subList(-history, kept.size()) : List.<Cell>of());
  }

  private static boolean sameColumn(Cell a, Cell b) {
    return a.family().equals(b.family()) && a.qualifier().equals(b.qualifier());
  }

  /** The tablets' ranges, as the row before the first, and the last. */
  List<RowRange> tablets() {
    List<RowRange> ranges = new ArrayList<>();
    Bytes from = Bytes.EMPTY;
    for (Bytes last : splits) {
      ranges.add(new RowRange(from, last.successor()));
      from = last.successor();
    }
    ranges.add(new RowRange(from, null));
    return Collections.unmodifiableList(ranges);
  }
}
