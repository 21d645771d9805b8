package io.stele.engine.merge;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.CellCursor;
import java.util.Optional;

/**
 * The newest visible version of one column: what {@link VisibleCursor} would find, without the
 * machinery of ranges, because this is what most requests ask for. By commit alone.
 */
public final class ColumnReader {
  private final CellCursor source;
  private final long readTxn;
  private final PurgePolicy purge;
  private final long now;
  private final VisibleErasures erasures = new VisibleErasures(false);

  /** Reads a source that has all cells of the row. */
  public ColumnReader(CellCursor source, long readTxn, PurgePolicy purge, long now) {
    this.source = source;
    this.readTxn = readTxn;
    this.purge = purge;
    this.now = now;
  }

  /**
   * Finds the newest version; the view is good until the source moves.
   *
   * @param column stands before the column's first cell
   * @param wide false only if the source surely has no erasures of columns, families or rows
   */
  public Optional<CellView> newest(CellView column, boolean wide) {
    if (wide) {
      collect(CellView.beforeRow(column.row()), CellKind.ERASE_ROW);
      collect(CellView.beforeFamily(column.row(), column.family()), CellKind.ERASE_FAMILY);
    }
    boolean decided = false;
    long decidedTime = 0;
    for (boolean more = source.seek(column); more; more = source.next()) {
      CellView cell = source.cell();
      if (!cell.sameRow(column) || !cell.sameFamily(column) || !cell.sameQualifier(column)) {
        return Optional.empty();
      }
      if (cell.txn > readTxn) {
        continue;
      }
      if (cell.kind.isWide()) {
        erasures.add(cell);
        continue;
      }
      if (decided && decidedTime == cell.timestamp) {
        continue;
      }
      decided = true;
      decidedTime = cell.timestamp;
      if (cell.kind == CellKind.PUT && !erasures.hides(cell.timestamp, cell.txn)) {
        // The newest is purged only for its age, and then so are all that are older.
        return purge.purges(cell.timestamp, 0, now) ? Optional.empty() : Optional.of(cell);
      }
    }
    return Optional.empty();
  }

  private void collect(CellView from, CellKind kind) {
    for (boolean more = source.seek(from); more; more = source.next()) {
      CellView cell = source.cell();
      if (cell.kind != kind || !cell.sameRow(from) || !cell.sameFamily(from)) {
        return;
      }
      if (cell.txn <= readTxn) {
        erasures.add(cell);
        if (!cell.hasRange()) {
          return; // newest first: the others say less
        }
      }
    }
  }

  /** The value of the newest version, copied. */
  public Optional<Bytes> newestValue(CellView column, boolean wide) {
    return newest(column, wide).map(CellView::value);
  }
}
