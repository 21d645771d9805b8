package io.stele.replicas.push;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchWriter;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.RowRange;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A change of a replica, on its way to others.
 *
 * @param origin where it came from; none if it began here
 * @param waiting who waits for acknowledgements of it; none if nobody does
 */
record Change(
    long sequence,
    CellBatch cells,
    Bytes firstRow,
    Bytes lastRow,
    @Nullable Origin origin,
    @Nullable WaitingWrite waiting) {

  /**
   * Where a change came from.
   *
   * @param assignment of the sender; empty if it is not known
   * @param sequence up to which the sender had sent all with it
   * @param whole whether others have it only if they have all up to the sequence, not just what
   *     began at the sender
   * @param since when it came, by the clock's nanoseconds
   */
  record Origin(String assignment, long sequence, boolean whole, long since) {}

  static Change of(
      long sequence, CellBatch cells, @Nullable Origin origin, @Nullable WaitingWrite waiting) {
    CellBatch.Reader reader = cells.read();
    CellView cell = reader.cell();
    reader.next();
    Bytes first = cell.row();
    int firstOffset = cell.rowOffset;
    while (reader.next()) {
      // Only the last cell's row matters; the view has it when the walk ends.
    }
    Bytes last = cell.rowOffset == firstOffset ? first : cell.row();
    return new Change(sequence, cells, first, last, origin, waiting);
  }

  int bytes() {
    return cells.length() + 128;
  }

  /** What there is of some rows. */
  Optional<CellBatch> cut(RowRange rows) {
    boolean from = rows.from().compareTo(firstRow) <= 0;
    boolean to = rows.to() == null || lastRow.compareTo(rows.to()) < 0;
    if (from && to) {
      return Optional.of(cells);
    }
    if (rows.from().compareTo(lastRow) > 0
        || (rows.to() != null && firstRow.compareTo(rows.to()) >= 0)) {
      return Optional.empty();
    }
    return cut(cells, rows);
  }

  static Optional<CellBatch> cut(CellBatch cells, RowRange rows) {
    CellBatchWriter writer = new CellBatchWriter(cells.length());
    CellBatch.Reader reader = cells.read();
    CellView cell = reader.cell();
    Bytes to = rows.to();
    while (reader.next()) {
      if (rows.from().compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) <= 0
          && (to == null || to.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) > 0)) {
        writer.add(cell);
      }
    }
    return writer.finish(cells.txn());
  }
}
