package io.stele.replicas.partition;

import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;

/**
 * What must not be erased where old versions are purged because there are newer ones: a newer one
 * alone. An older one would come back on those replicas that have not purged it yet, and not on the
 * others. Erasures of all versions, or of all up to a time, do no harm: they hide the older ones
 * too.
 *
 * <p>Where a request comes in, it is checked. Replicas take what others send them as it is.
 */
public final class HistoryRule {
  private HistoryRule() {}

  /**
   * Checks the cells of a request to a table.
   *
   * @throws InvalidRequestException if one of them erases single versions
   */
  public static void check(String table, TableSchema schema, CellBatch cells) {
    PurgePolicy purge = ReplicaSchema.onlyGroup(schema).purge();
    if (!purge.countsHistory()) {
      return;
    }
    CellBatch.Reader reader = cells.read();
    while (reader.next()) {
      if (erasesSingleVersions(reader.cell())) {
        throw refusal(table, purge, reader.cell());
      }
    }
  }

  private static boolean erasesSingleVersions(CellView cell) {
    return cell.kind == CellKind.ERASE_CELL
        || (cell.kind.isWide() && cell.rangeFrom() != Long.MIN_VALUE);
  }

  private static InvalidRequestException refusal(String table, PurgePolicy purge, CellView cell) {
    String what =
        switch (cell.kind) {
          case ERASE_ROW -> "all columns";
          case ERASE_FAMILY -> "family " + cell.family();
          default -> "column " + new Column(cell.family(), cell.qualifier());
        };
    return new InvalidRequestException(
        "single versions of "
            + what
            + " of row \""
            + cell.row()
            + "\" cannot be erased: replicated table \""
            + table
            + "\" purges by "
            + purge
            + "; erase all, or all up to a time");
  }
}
