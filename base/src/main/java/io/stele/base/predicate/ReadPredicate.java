package io.stele.base.predicate;

import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Which cells a reader wants: those in one of the rows, one of the columns and one of the times,
 * and of each column as many versions as the history says.
 *
 * @param rows ascending and apart; the constructor sorts and joins them
 * @param columns ascending and apart, likewise; none means all
 * @param times ascending and apart, likewise; at least one
 * @param history the most versions of a column, newest first, counted after the times; if it is
 *     negative, all but so many of the newest
 */
public record ReadPredicate(
    List<RowRange> rows, List<ColumnRange> columns, List<TimeRange> times, int history) {
  /** Every version. */
  public static final int ALL_VERSIONS = Integer.MAX_VALUE;

  public static final ReadPredicate ALL =
      new ReadPredicate(List.of(RowRange.ALL), List.of(), List.of(TimeRange.ALL), ALL_VERSIONS);

  public ReadPredicate {
    if (rows.isEmpty()) {
      throw new InvalidRequestException("a predicate without rows: use RowRange.ALL for all");
    }
    if (times.isEmpty()) {
      throw new InvalidRequestException("a predicate without times: use TimeRange.ALL for all");
    }
    if (history == 0) {
      throw new InvalidRequestException(
          "history of 0 versions: must be 1 or more, or negative for all but the newest");
    }
    rows =
        join(
            rows,
            (a, b) -> a.to() == null || a.to().compareTo(b.from()) >= 0,
            (a, b) -> new RowRange(a.from(), later(a.to(), b.to())));
    columns =
        join(
            columns,
            (a, b) -> a.to() == null || a.to().compareTo(b.from()) >= 0,
            (a, b) -> new ColumnRange(a.from(), later(a.to(), b.to())));
    times =
        join(
            times,
            (a, b) -> a.to() >= b.from(),
            (a, b) -> new TimeRange(a.from(), Math.max(a.to(), b.to())));
  }

  public static ReadPredicate rows(RowRange... ranges) {
    return ALL.withRows(List.of(ranges));
  }

  public ReadPredicate withRows(List<RowRange> newRows) {
    return new ReadPredicate(newRows, columns, times, history);
  }

  public ReadPredicate withColumns(ColumnRange... newColumns) {
    return new ReadPredicate(rows, List.of(newColumns), times, history);
  }

  public ReadPredicate withTime(long from, long to) {
    return withTimes(new TimeRange(from, to));
  }

  public ReadPredicate withTimes(TimeRange... newTimes) {
    return new ReadPredicate(rows, columns, List.of(newTimes), history);
  }

  public ReadPredicate withHistory(int versions) {
    return new ReadPredicate(rows, columns, times, versions);
  }

  /** The first timestamp wanted. */
  public long timeFrom() {
    return times.getFirst().from();
  }

  /** The first timestamp above all those wanted. */
  public long timeTo() {
    return times.getLast().to();
  }

  public boolean wantsTime(long timestamp) {
    for (int i = 0; i < times.size(); i++) {
      if (times.get(i).contains(timestamp)) {
        return true;
      }
    }
    return false;
  }

  /** Is the column of a cell wanted? */
  public boolean wantsColumn(CellView cell) {
    if (columns.isEmpty()) {
      return true;
    }
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).contains(cell)) {
        return true;
      }
    }
    return false;
  }

  private static <T extends Comparable<? super T>> @Nullable T later(@Nullable T a, @Nullable T b) {
    return a == null || b == null ? null : a.compareTo(b) >= 0 ? a : b;
  }

  private static <R extends Comparable<? super R>> List<R> join(
      List<R> ranges, BiPredicate<R, R> reaches, BiFunction<R, R, R> both) {
    List<R> sorted = new ArrayList<>(ranges);
    sorted.sort(null);
    List<R> joined = new ArrayList<>();
    for (R range : sorted) {
      if (!joined.isEmpty() && reaches.test(joined.getLast(), range)) {
        joined.set(joined.size() - 1, both.apply(joined.getLast(), range));
      } else {
        joined.add(range);
      }
    }
    return List.copyOf(joined);
  }
}
