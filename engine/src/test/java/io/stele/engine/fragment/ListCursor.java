package io.stele.engine.fragment;

import io.stele.base.cell.Cell;
import io.stele.base.cell.CellView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A cursor over cells in a list: the plainest thing that obeys {@link CellCursor}. It hands out one
 * view, whose arrays it overwrites at every step as the real ones do, and it fails a reader that
 * goes round in circles.
 */
public final class ListCursor implements CellCursor {
  private static final int PATIENCE = 100_000;

  private final List<Cell> cells;
  private final CellView view = new CellView();
  private int at = -1;
  private int moves;

  public ListCursor(Collection<Cell> cells) {
    this.cells = new ArrayList<>(cells);
    this.cells.sort(null);
  }

  @Override
  public boolean seek(CellView target) {
    at = 0;
    while (at < cells.size() && cells.get(at).view().compareTo(target) < 0) {
      at++;
    }
    return fill();
  }

  @Override
  public boolean next() {
    at = Math.min(at + 1, cells.size());
    return fill();
  }

  private boolean fill() {
    if (++moves > PATIENCE) {
      throw new AssertionError("moved " + moves + " times over " + cells.size() + " cells");
    }
    scramble(view.rowArray);
    scramble(view.familyArray);
    scramble(view.qualifierArray);
    scramble(view.valueArray);
    if (at >= cells.size()) {
      return false;
    }
    Cell cell = cells.get(at);
    view.pointTo(cell.view());
    view.rowArray = cell.row().toArray();
    view.familyArray = cell.family().toArray();
    view.qualifierArray = cell.qualifier().toArray();
    return true;
  }

  /** Whoever still looks at the cell before the last move shall notice. */
  private static void scramble(byte[] array) {
    java.util.Arrays.fill(array, (byte) 'X');
  }

  @Override
  public CellView cell() {
    return view;
  }
}
