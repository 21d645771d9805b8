package io.stele.tables.compact;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.RowRange;
import io.stele.engine.fragment.CellCursor;

/** Of sorted cells, those of some rows: what a tablet has of files that it shares with others. */
final class RangeCursor implements CellCursor {
  private final CellCursor source;
  private final RowRange rows;
  private boolean started;
  private boolean ended;

  RangeCursor(CellCursor source, RowRange rows) {
    this.source = source;
    this.rows = rows;
  }

  @Override
  public boolean seek(CellView target) {
    started = true;
    Bytes from = rows.from();
    boolean isBefore = from.compareTo(target.rowArray, target.rowOffset, target.rowLength) > 0;
    return inRange(source.seek(isBefore ? CellView.beforeRow(from) : target));
  }

  @Override
  public boolean next() {
    if (!started) {
      return seek(CellView.beforeRow(rows.from()));
    }
    return !ended && inRange(source.next());
  }

  private boolean inRange(boolean found) {
    if (found) {
      CellView cell = source.cell();
      ended = rows.endsBefore(cell.rowArray, cell.rowOffset, cell.rowLength);
    } else {
      ended = true;
    }
    return !ended;
  }

  @Override
  public CellView cell() {
    return source.cell();
  }

  @Override
  public void close() {
    source.close();
  }
}
