package io.stele.gateway.bigtable.write;

import com.google.bigtable.v2.RowFilter;
import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.Tables;
import io.stele.gateway.bigtable.filter.ReadBounds;
import io.stele.gateway.bigtable.filter.RowEvaluator;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Whether a filter finds anything in a row, as of a transaction that is durable. */
final class RowCheck {
  private final Tables tables;
  private final String table;
  private final Bytes row;
  private final RowEvaluator filter;
  private final Optional<ReadPredicate> predicate; // none if the filter finds nothing anywhere
  private boolean found;

  /** What was found, and at which transaction. */
  record Outcome(boolean met, long txn) {}

  RowCheck(Tables tables, String table, Bytes row, RowFilter filter, RandomGenerator random) {
    this.tables = tables;
    this.table = table;
    this.row = row;
    this.filter = new RowEvaluator(filter, _ -> found = true, random);
    this.predicate = ReadBounds.of(filter).over(List.of(RowRange.row(row)));
  }

  Outcome run() {
    found = false;
    filter.startRow(row.sharedArray(), 0, row.length());
    long txn =
        RowReads.each(
            tables,
            table,
            predicate.orElseGet(() -> ReadPredicate.rows(RowRange.row(row)).withHistory(1)),
            cell -> {
              if (predicate.isPresent()) {
                filter.cell(cell);
              }
              return !found;
            });
    filter.endRow();
    return new Outcome(found, txn);
  }
}
