package io.stele.engine;

import io.stele.base.cell.CellView;
import io.stele.engine.chain.ChainHolder;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.merge.VisibleCursor;

/**
 * The cells that one read sees, in order. It keeps the files it reads from deletion until it is
 * closed.
 *
 * <pre>{@code
 * try (Scan scan = store.scan(ReadPredicate.rows(RowRange.prefix(Bytes.utf8("user/"))))) {
 *   while (scan.next()) {
 *     use(scan.cell());
 *   }
 * }
 * }</pre>
 */
public final class Scan implements CellCursor {
  private final ChainHolder.Borrowed borrowed;
  private final VisibleCursor cells;
  private final long txn;

  Scan(ChainHolder.Borrowed borrowed, VisibleCursor cells, long txn) {
    this.borrowed = borrowed;
    this.cells = cells;
    this.txn = txn;
  }

  /** The transaction at which it reads. */
  public long txn() {
    return txn;
  }

  /** False once the chain has changed: it then keeps files that nobody else needs. */
  public boolean isCurrent() {
    return borrowed.isCurrent();
  }

  @Override
  public boolean seek(CellView target) {
    return cells.seek(target);
  }

  @Override
  public boolean next() {
    return cells.next();
  }

  @Override
  public CellView cell() {
    return cells.cell();
  }

  @Override
  public void close() {
    cells.close();
    borrowed.close();
  }
}
