package io.stele.replicas.serve;

import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.replicas.push.HybridClock;

/**
 * Gives changes their times, once, where they begin: what a replica makes of them depends on these
 * alone.
 *
 * <ul>
 *   <li>Puts that ask for the server's time get one that no change of this server had before.
 *   <li>Erasures that are to hide all there is get a range that ends with the present: just before
 *       the puts of the same batch, and above all times that this server has given out or heard of.
 * </ul>
 */
final class Stamps {
  private final HybridClock time;

  Stamps(HybridClock time) {
    this.time = time;
  }

  /** The batch with times: itself, or a copy if it belongs to somebody or erases without end. */
  CellBatch stamp(CellBatch batch) {
    long now = time.next();
    CellBatch timed = batch.txn() != 0 || hasOpenErasures(batch) ? closed(batch, now) : batch;
    timed.stamp(now + 1);
    return timed;
  }

  private static boolean hasOpenErasures(CellBatch batch) {
    CellBatch.Reader reader = batch.read();
    CellView cell = reader.cell();
    while (reader.next()) {
      if (cell.kind.isWide() && (!cell.hasRange() || cell.rangeTo() == Long.MAX_VALUE)) {
        return true;
      }
    }
    return false;
  }

  private static CellBatch closed(CellBatch batch, long now) {
    CellBatchBuilder timed = new CellBatchBuilder();
    CellBatch.Reader reader = batch.read();
    while (reader.next()) {
      timed.add(closed(reader.cell(), now));
    }
    return timed.build();
  }

  private static Cell closed(CellView cell, long now) {
    if (!cell.kind.isWide() || (cell.hasRange() && cell.rangeTo() != Long.MAX_VALUE)) {
      return cell.toCell();
    }
    long from = cell.hasRange() ? cell.rangeFrom() : Long.MIN_VALUE;
    long to = Math.max(now + 1, from + 1);
    return switch (cell.kind) {
      case ERASE_ROW -> Cell.eraseRow(cell.row(), from, to);
      case ERASE_FAMILY -> Cell.eraseFamily(cell.row(), cell.family(), from, to);
      case ERASE_COLUMN -> Cell.eraseColumn(cell.row(), cell.family(), cell.qualifier(), from, to);
      case PUT, ERASE_CELL -> cell.toCell();
    };
  }
}
