package io.stele.tables.tablet;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.engine.fragment.CellCursor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Of cells in memory, those that belong to some tablets: in the rows of one of them, and written
 * since it came here. What else a mem fragment holds is of tablets that have left, whose rows were
 * written to disk then.
 */
public final class TabletGate implements CellCursor {
  private final CellCursor source;
  private final List<TabletView> tablets; // in the order of their rows
  private int at;
  private boolean known; // rowArray.. is the row that was last looked up
  private boolean open;
  private long floor;
  private Bytes row = Bytes.EMPTY;

  public TabletGate(CellCursor source, List<TabletView> tablets) {
    this.source = source;
    this.tablets = tablets;
  }

  @Override
  public boolean seek(CellView target) {
    at = 0;
    known = false;
    return source.seek(target) && (belongs(source.cell()) || next());
  }

  @Override
  public boolean next() {
    while (source.next()) {
      if (belongs(source.cell())) {
        return true;
      }
      if (at >= tablets.size()) {
        return false;
      }
    }
    return false;
  }

  private boolean belongs(CellView cell) {
    if (!known || row.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) != 0) {
      known = true;
      row = cell.row();
      TabletView tablet = find();
      open = tablet != null && tablet.contains(row);
      floor = tablet == null ? 0 : tablet.fromTxn();
    }
    return open && cell.txn > floor;
  }

  /** The first tablet that ends at or behind the row; rows ascend, so the search goes on. */
  private @Nullable TabletView find() {
    while (at < tablets.size()) {
      TabletView tablet = tablets.get(at);
      if (tablet.last().isEmpty() || tablet.last().get().compareTo(row) >= 0) {
        return tablet;
      }
      at++;
    }
    return null;
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
