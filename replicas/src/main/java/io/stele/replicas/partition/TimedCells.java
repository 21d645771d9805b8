package io.stele.replicas.partition;

import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;

/**
 * Gives the cells of a request the times by which replicas merge them, before any replica sees
 * them: all must see the same.
 *
 * <ul>
 *   <li>A put that asks for the server's time gets it.
 *   <li>An erasure of all versions becomes one of those before that time, so that it does not hide
 *       what is written later, and can be forgotten one day. What the same request puts at the
 *       server's time stays, as it is not before it.
 * </ul>
 */
public final class TimedCells {
  private final String table;
  private final ReplicaSchema schema;
  private final GroupSchema group;

  /** For the requests to a table, as long as it has this schema. */
  public TimedCells(String table, TableSchema schema) {
    this.table = table;
    this.schema = new ReplicaSchema(schema);
    this.group = ReplicaSchema.onlyGroup(schema);
  }

  /**
   * The cells with times. The batch given is the method's to change.
   *
   * @param micros above all times that this server gave out before, and above the clock
   * @throws InvalidRequestException if the table does not take one of the cells
   */
  public CellBatch stamp(CellBatch cells, long micros) {
    CellBatch.Reader reader = cells.read();
    CellView cell = reader.cell();
    boolean bound = false;
    while (reader.next()) {
      checkFamily(cell);
      checkHistory(cell);
      bound |= cell.kind.isWide() && needsBound(cell, micros);
    }
    cells.stamp(micros);
    return bound ? withBounds(cells, micros) : cells;
  }

  private static boolean needsBound(CellView erasure, long micros) {
    return erasure.rangeTo() == Long.MAX_VALUE && erasure.rangeFrom() < micros;
  }

  private static CellBatch withBounds(CellBatch cells, long micros) {
    CellBatchBuilder batch = new CellBatchBuilder();
    CellBatch.Reader reader = cells.read();
    CellView cell = reader.cell();
    while (reader.next()) {
      boolean bound = cell.kind.isWide() && needsBound(cell, micros);
      batch.add(bound ? bounded(cell, micros) : cell.toCell());
    }
    return batch.build();
  }

  private static Cell bounded(CellView erasure, long micros) {
    long from = erasure.rangeFrom();
    return switch (erasure.kind) {
      case ERASE_ROW -> Cell.eraseRow(erasure.row(), from, micros);
      case ERASE_FAMILY -> Cell.eraseFamily(erasure.row(), erasure.family(), from, micros);
      case ERASE_COLUMN ->
          Cell.eraseColumn(erasure.row(), erasure.family(), erasure.qualifier(), from, micros);
      case PUT, ERASE_CELL -> throw new IllegalArgumentException("not wide: " + erasure);
    };
  }

  private void checkFamily(CellView cell) {
    if (!schema.takes(cell)) {
      throw new InvalidRequestException(
          "family \""
              + cell.family()
              + "\" of row \""
              + cell.row()
              + "\": table \""
              + table
              + "\" has only the families \""
              + String.join("\", \"", group.families())
              + "\"");
    }
  }

  /**
   * Where old versions are purged because there are newer ones, erasing a newer one alone would
   * bring back an older one on those replicas that have not purged it yet.
   */
  private void checkHistory(CellView cell) {
    if (!group.purge().countsHistory() || cell.kind == CellKind.PUT) {
      return;
    }
    if (cell.kind == CellKind.ERASE_CELL || cell.rangeFrom() != Long.MIN_VALUE) {
      throw new InvalidRequestException(
          "single versions of "
              + (cell.kind == CellKind.ERASE_ROW
                  ? "all columns"
                  : "column " + new Column(cell.family(), cell.qualifier()))
              + " of row \""
              + cell.row()
              + "\" cannot be erased: replicated table \""
              + table
              + "\" purges by "
              + group.purge()
              + "; erase all, or all up to a time");
    }
  }
}
