package io.stele.engine.merge;

import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.engine.merge.History.Part;

/**
 * A history, and the newest of its changes that nobody reads any more.
 *
 * @param change {@link #NOTHING} if all can be read
 */
public record HistoryFloor(History history, long change) {
  public static final long NOTHING = Long.MIN_VALUE;

  /** Without a history. */
  public static final HistoryFloor NONE = new HistoryFloor(History.NONE, NOTHING);

  /** The part of a cell in what has been given up; none if the cell is above the floor. */
  Part givenUp(CellView cell) {
    if (change == NOTHING || cell.kind != CellKind.PUT) {
      return Part.NONE;
    }
    Part part = history.part(cell);
    return part == Part.NONE || history.change(cell) > change ? Part.NONE : part;
  }
}
