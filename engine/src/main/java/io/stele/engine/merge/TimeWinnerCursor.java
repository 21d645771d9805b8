package io.stele.engine.merge;

import io.stele.base.cell.CellView;
import io.stele.engine.fragment.CellCursor;

/**
 * The cells of a merged chain that a reader at some transaction can meet, with one cell for each
 * column and timestamp: the one that wins by {@link Resolution.ByTime}. Wide erasures come as they
 * are.
 *
 * <p>Which one wins is known only behind the last of them, so each cell is copied before the source
 * moves on: between calls, the source stands on the first cell that was not looked at.
 */
final class TimeWinnerCursor implements CellCursor {
  private final CellCursor source;
  private final long readTxn;
  private final CellCopy winner = new CellCopy();
  private boolean started;
  private boolean pending; // the source stands on a cell

  TimeWinnerCursor(CellCursor source, long readTxn) {
    this.source = source;
    this.readTxn = readTxn;
  }

  @Override
  public boolean seek(CellView target) {
    started = true;
    pending = source.seek(target);
    return take();
  }

  @Override
  public boolean next() {
    if (!started) {
      started = true;
      pending = source.next();
    }
    return take();
  }

  private boolean take() {
    while (pending && source.cell().txn > readTxn) {
      pending = source.next();
    }
    if (!pending) {
      return false;
    }
    winner.set(source.cell());
    pending = source.next();
    while (pending && (source.cell().txn > readTxn || winner.sameVersion(source.cell()))) {
      CellView other = source.cell();
      if (other.txn <= readTxn && CellCopy.compareByTime(other, winner.view()) > 0) {
        winner.set(other);
      }
      pending = source.next();
    }
    return true;
  }

  @Override
  public CellView cell() {
    return winner.view();
  }

  @Override
  public void close() {
    source.close();
  }
}
