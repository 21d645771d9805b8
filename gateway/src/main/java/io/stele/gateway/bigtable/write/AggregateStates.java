package io.stele.gateway.bigtable.write;

import com.google.bigtable.v2.Mutation;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What the cells of a row hold that mutations add to, as the mutations before have left it. */
final class AggregateStates {
  private final Map<Cell, Bytes> values = new TreeMap<>(); // by their place, as an erasure

  /** What of a row mutations add to. */
  static ReadPredicate wanted(Bytes row, List<Mutation> mutations) {
    List<ColumnRange> columns = new ArrayList<>();
    for (Mutation mutation : mutations) {
      if (mutation.hasAddToCell()) {
        columns.add(
            ColumnRange.column(
                MutationLimits.family(mutation.getAddToCell().getFamilyName()),
                Mutations.qualifierOf(mutation.getAddToCell().getColumnQualifier())));
      } else if (mutation.hasMergeToCell()) {
        columns.add(
            ColumnRange.column(
                MutationLimits.family(mutation.getMergeToCell().getFamilyName()),
                Mutations.qualifierOf(mutation.getMergeToCell().getColumnQualifier())));
      }
    }
    return ReadPredicate.rows(RowRange.row(row)).withColumns(columns.toArray(ColumnRange[]::new));
  }

  boolean load(CellView cell) {
    values.put(
        Cell.eraseCell(cell.row(), cell.family(), cell.qualifier(), cell.timestamp), cell.value());
    return true;
  }

  Optional<Bytes> of(Cell place) {
    return Optional.ofNullable(values.get(place));
  }

  void put(Cell place, Bytes value) {
    values.put(place, value);
  }

  void erase(Cell erasure) {
    values.keySet().removeIf(erasure::covers);
  }
}
