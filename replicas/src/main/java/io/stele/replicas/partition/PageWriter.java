package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatchWriter;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.engine.Scan;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Packs what a scan finds into pages, and knows how far it has come. */
final class PageWriter {
  private static final int FIRST_BUFFER = 64 << 10;

  private @Nullable CellView after; // cells up to it have been handed out
  private long rowsLeft;
  private @Nullable Bytes row; // the row at hand
  private boolean finished;

  PageWriter(ReadPredicate predicate, ScanOptions options) {
    this.rowsLeft = options.maxRows() == 0 ? Long.MAX_VALUE : options.maxRows();
    Optional<ScanOptions.Position> position = options.after();
    if (position.isPresent()
        && position.get().row().compareTo(predicate.rows().getFirst().from()) >= 0) {
      ScanOptions.Position behind = position.get();
      this.after = behind(behind.row(), behind.family(), behind.qualifier(), behind.timestamp());
    }
  }

  /** A place behind a version of a column. */
  private static CellView behind(Bytes row, Bytes family, Bytes qualifier, long timestamp) {
    CellView place = CellView.beforeColumn(row, family, qualifier);
    place.kind = CellKind.PUT;
    place.timestamp = timestamp;
    place.txn = 0;
    return place;
  }

  /** Packs from a scan that was just opened: it is moved behind what was handed out. */
  CellPage fill(Scan cells, int wantedBytes) {
    return fill(cells, wantedBytes, true);
  }

  /**
   * Packs the next cells: at least one, unless there are none.
   *
   * @param fresh whether the scan was just opened, and so stands before its first cell
   */
  CellPage fill(Scan cells, int wantedBytes, boolean fresh) {
    CellBatchWriter out = new CellBatchWriter(Math.min(wantedBytes, FIRST_BUFFER));
    int maxBytes = Math.max(wantedBytes, out.size() + 1);
    boolean found = !finished && advance(cells, fresh);
    while (found && countRow(cells.cell())) {
      CellView cell = cells.cell();
      out.add(cell);
      if (out.size() >= maxBytes) {
        after = behind(cell.row(), cell.family(), cell.qualifier(), cell.timestamp);
        return new CellPage(cells.txn(), out.finish(cells.txn()), true);
      }
      found = cells.next();
    }
    finished = true;
    return new CellPage(cells.txn(), out.finish(cells.txn()), false);
  }

  private boolean advance(Scan cells, boolean fresh) {
    CellView from = after;
    if (fresh && from != null) {
      return cells.seek(from);
    }
    return cells.next();
  }

  /** False if the cell is of a row too many. */
  private boolean countRow(CellView cell) {
    Bytes current = row;
    if (current != null && current.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) == 0) {
      return true;
    }
    if (rowsLeft == 0) {
      return false;
    }
    rowsLeft--;
    row = cell.row();
    return true;
  }

  boolean isFinished() {
    return finished;
  }
}
