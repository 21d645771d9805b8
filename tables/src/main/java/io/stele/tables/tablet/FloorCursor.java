package io.stele.tables.tablet;

import io.stele.base.cell.CellView;
import io.stele.engine.fragment.CellCursor;

/**
 * Leaves out what was committed at or before a transaction: cells of a mem fragment that were
 * written before their tablet left this server and came back.
 */
public final class FloorCursor implements CellCursor {
  private final CellCursor source;
  private final long floor;

  public FloorCursor(CellCursor source, long floor) {
    this.source = source;
    this.floor = floor;
  }

  @Override
  public boolean seek(CellView target) {
    return source.seek(target) && (source.cell().txn > floor || next());
  }

  @Override
  public boolean next() {
    while (source.next()) {
      if (source.cell().txn > floor) {
        return true;
      }
    }
    return false;
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
