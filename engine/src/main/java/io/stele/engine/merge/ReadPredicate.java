package io.stele.engine.merge;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which cells a reader wants.
 *
 * @param rows ascending and apart; the constructor sorts and joins them
 * @param columns ascending and apart, likewise; none means all
 * @param timeFrom the first timestamp wanted
 * @param timeTo the first timestamp above those wanted
 * @param history the most versions of a column, newest first, counted after the time range
 */
public record ReadPredicate(
    List<RowRange> rows, List<ColumnRange> columns, long timeFrom, long timeTo, int history) {
  public static final ReadPredicate ALL =
      new ReadPredicate(
          List.of(RowRange.ALL), List.of(), Long.MIN_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE);

  public ReadPredicate {
    if (rows.isEmpty()) {
      throw new InvalidRequestException("a predicate without rows: use RowRange.ALL for all");
    }
    if (timeFrom >= timeTo) {
      throw new InvalidRequestException(
          "time range [" + timeFrom + ", " + timeTo + ") is empty: from must be below to");
    }
    if (history < 1) {
      throw new InvalidRequestException("history of " + history + " versions: must be 1 or more");
    }
    rows = joinRows(rows);
    columns = joinColumns(columns);
  }

  public static ReadPredicate rows(RowRange... ranges) {
    return ALL.withRows(List.of(ranges));
  }

  public ReadPredicate withRows(List<RowRange> newRows) {
    return new ReadPredicate(newRows, columns, timeFrom, timeTo, history);
  }

  public ReadPredicate withColumns(ColumnRange... newColumns) {
    return new ReadPredicate(rows, List.of(newColumns), timeFrom, timeTo, history);
  }

  public ReadPredicate withTime(long from, long to) {
    return new ReadPredicate(rows, columns, from, to, history);
  }

  public ReadPredicate withHistory(int versions) {
    return new ReadPredicate(rows, columns, timeFrom, timeTo, versions);
  }

  private static List<RowRange> joinRows(List<RowRange> ranges) {
    List<RowRange> sorted = new ArrayList<>(ranges);
    sorted.sort(Comparator.comparing(RowRange::from));
    List<RowRange> joined = new ArrayList<>();
    for (RowRange range : sorted) {
      RowRange last = joined.isEmpty() ? null : joined.getLast();
      if (last != null && reaches(last.to(), range.from())) {
        joined.set(joined.size() - 1, new RowRange(last.from(), later(last.to(), range.to())));
      } else {
        joined.add(range);
      }
    }
    return List.copyOf(joined);
  }

  private static List<ColumnRange> joinColumns(List<ColumnRange> ranges) {
    List<ColumnRange> sorted = new ArrayList<>(ranges);
    sorted.sort(null);
    List<ColumnRange> joined = new ArrayList<>();
    for (ColumnRange range : sorted) {
      ColumnRange last = joined.isEmpty() ? null : joined.getLast();
      if (last != null
          && last.family().equals(range.family())
          && reaches(last.to(), range.from())) {
        joined.set(
            joined.size() - 1,
            new ColumnRange(last.family(), last.from(), later(last.to(), range.to())));
      } else {
        joined.add(range);
      }
    }
    return List.copyOf(joined);
  }

  private static boolean reaches(@Nullable Bytes end, Bytes start) {
    return end == null || end.compareTo(start) >= 0;
  }

  private static @Nullable Bytes later(@Nullable Bytes a, @Nullable Bytes b) {
    return a == null || b == null ? null : a.compareTo(b) >= 0 ? a : b;
  }
}
