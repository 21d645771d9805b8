package io.stele.engine.model;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.predicate.TimeRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a scan asks for. Ranges may overlap and come in any order; no columns means all. */
public record Question(
    List<RowRange> rows, List<ColumnRange> columns, long timeFrom, long timeTo, int history) {
  public static final Question ALL =
      new Question(
          List.of(RowRange.ALL), List.of(), Long.MIN_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE);

  /** The engine's form of it. */
  public ReadPredicate toPredicate() {
    return new ReadPredicate(rows, columns, List.of(new TimeRange(timeFrom, timeTo)), history);
  }

  /** Those of all visible versions, in their order, that are asked for. */
  List<Version> select(List<Version> visible) {
    List<Version> selected = new ArrayList<>();
    int ofColumn = 0;
    for (Version version : visible) {
      if (selected.isEmpty() || !selected.getLast().sameColumn(version)) {
        ofColumn = 0;
      }
      if (wantsRow(version.row())
          && wantsColumn(version)
          && timeFrom <= version.timestamp()
          && version.timestamp() < timeTo
          && ofColumn < history) {
        selected.add(version);
        ofColumn++;
      }
    }
    return selected;
  }

  private boolean wantsRow(Bytes row) {
    return rows.stream().anyMatch(range -> lies(row, range.from(), range.to()));
  }

  private boolean wantsColumn(Version version) {
    return columns.isEmpty()
        || columns.stream()
            .anyMatch(
                range ->
                    lies(
                        new Column(version.family(), version.qualifier()),
                        range.from(),
                        range.to()));
  }

  private static <T extends Comparable<T>> boolean lies(T key, T from, @Nullable T to) {
    return key.compareTo(from) >= 0 && (to == null || key.compareTo(to) < 0);
  }
}
