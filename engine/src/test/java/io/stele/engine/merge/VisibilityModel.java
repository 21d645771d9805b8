package io.stele.engine.merge;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.Column;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.PurgePolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a reader sees, by definition and without regard to cost: a put is seen if nothing that was
 * committed after it, and not after the read transaction, hides it.
 */
final class VisibilityModel {
  private final List<Cell> all;
  private final boolean byTime;

  VisibilityModel(Collection<Cell> all) {
    this(all, false);
  }

  private VisibilityModel(Collection<Cell> all, boolean byTime) {
    this.all = List.copyOf(all);
    this.byTime = byTime;
  }

  /** Who is believed does not depend on transactions, and cells are told without them. */
  static VisibilityModel byTime(Collection<Cell> all) {
    return new VisibilityModel(all, true);
  }

  List<Cell> visible(long readTxn, ReadPredicate predicate, PurgePolicy purge, long now) {
    Map<String, List<Cell>> columns = new TreeMap<>();
    for (Cell cell : all) {
      if (cell.kind() == CellKind.PUT && cell.txn() <= readTxn && !isHidden(cell, readTxn)) {
        String column = cell.row() + "|" + cell.family() + "|" + cell.qualifier();
        Cell told = byTime ? cell.withTxn(0) : cell;
        columns.computeIfAbsent(column, _ -> new ArrayList<>()).add(told);
      }
    }
    List<Cell> seen = new ArrayList<>();
    for (List<Cell> versions : columns.values()) {
      seen.addAll(wanted(versions, predicate, purge, now));
    }
    return seen.stream().distinct().sorted().toList();
  }

  private boolean isHidden(Cell put, long readTxn) {
    for (Cell other : all) {
      if (other.txn() <= readTxn
          && (byTime ? hidesByTime(other, put) : other.txn() > put.txn() && hides(other, put))) {
        return true;
      }
    }
    return false;
  }

  private static boolean hidesByTime(Cell other, Cell put) {
    boolean superseded = other.kind() != CellKind.PUT || other.value().compareTo(put.value()) > 0;
    return superseded && hides(other, put);
  }

  private static boolean hides(Cell later, Cell put) {
    if (!later.row().equals(put.row())) {
      return false;
    }
    boolean sameFamily = later.family().equals(put.family());
    boolean sameColumn = sameFamily && later.qualifier().equals(put.qualifier());
    return switch (later.kind()) {
      case PUT, ERASE_CELL -> sameColumn && later.timestamp() == put.timestamp();
      case ERASE_COLUMN -> sameColumn && inRange(later.value(), put.timestamp());
      case ERASE_FAMILY -> sameFamily && inRange(later.value(), put.timestamp());
      case ERASE_ROW -> inRange(later.value(), put.timestamp());
    };
  }

  private static boolean inRange(Bytes range, long time) {
    return range.isEmpty() || (bound(range, 0) <= time && time < bound(range, 8));
  }

  private static long bound(Bytes range, int at) {
    long bits = 0;
    for (int i = 0; i < 8; i++) {
      bits = (bits << 8) | (range.at(at + i) & 0xff);
    }
    return bits ^ Long.MIN_VALUE;
  }

  private static List<Cell> wanted(
      List<Cell> versions, ReadPredicate predicate, PurgePolicy purge, long now) {
    List<Cell> newestFirst =
        versions.stream()
            .distinct()
            .sorted(Comparator.comparingLong(Cell::timestamp).reversed())
            .toList();
    List<Cell> kept = new ArrayList<>();
    for (int newer = 0; newer < newestFirst.size(); newer++) {
      Cell version = newestFirst.get(newer);
      if (!purge.purges(version.timestamp(), newer, now)
          && predicate.times().stream()
              .anyMatch(
                  time -> time.from() <= version.timestamp() && version.timestamp() < time.to())
          && rowWanted(version, predicate)
          && columnWanted(version, predicate)) {
        kept.add(version);
      }
    }
    int history = predicate.history();
    return history > 0
        ? kept.stream().limit(history).collect(Collectors.toList())
        : kept.stream().skip(-history).collect(Collectors.toList());
  }

  private static boolean rowWanted(Cell cell, ReadPredicate predicate) {
    return predicate.rows().stream()
        .anyMatch(
            range ->
                cell.row().compareTo(range.from()) >= 0
                    && (range.to() == null || cell.row().compareTo(range.to()) < 0));
  }

  private static boolean columnWanted(Cell cell, ReadPredicate predicate) {
    Column column = new Column(cell.family(), cell.qualifier());
    return predicate.columns().isEmpty()
        || predicate.columns().stream()
            .anyMatch(
                range ->
                    range.from().compareTo(column) <= 0
                        && (range.to() == null || column.compareTo(range.to()) < 0));
  }
}
