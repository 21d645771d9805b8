package io.stele.engine;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.ChainHolder;
import io.stele.engine.chain.Link;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.merge.ErasureExpiry;
import io.stele.engine.merge.Older;
import io.stele.engine.merge.SnapshotSet;
import io.stele.engine.merge.TimeRetainCursor;
import java.util.List;

/**
 * The cells of some rows as they are stored, erasures included, in their order: what a rewrite
 * would keep, of what came behind a transaction. At most one of them is a version of a column with
 * a timestamp. It keeps the files it reads from deletion until it is closed.
 */
public final class StoredScan implements AutoCloseable {
  private final ChainHolder.Borrowed borrowed;
  private final CellCursor source;
  private final TimeRetainCursor cells;
  private final long afterTxn;
  private final long txn;

  StoredScan(
      ChainHolder.Borrowed borrowed,
      RowRange rows,
      long afterTxn,
      long txn,
      PurgePolicy purge,
      long now) {
    this.borrowed = borrowed;
    this.afterTxn = afterTxn;
    this.txn = txn;
    List<Link> links =
        borrowed.chain().links().stream()
            .filter(link -> link.fragment().maxTxn() > afterTxn)
            .toList();
    this.source = new Bounded(Chain.cursor(links, TimeBounds.ALL), rows, txn);
    this.cells =
        new TimeRetainCursor(source, SnapshotSet.NONE, Older.NONE, ErasureExpiry.NEVER, purge, now);
  }

  /** All that came up to this transaction is included. */
  public long txn() {
    return txn;
  }

  public boolean next() {
    while (cells.next()) {
      if (cells.cell().txn > afterTxn) {
        return true;
      }
    }
    return false;
  }

  /** Good until the next step. */
  public CellView cell() {
    return cells.cell();
  }

  @Override
  public void close() {
    source.close();
    borrowed.close();
  }

  /** The cells of a cursor that are of some rows and not too new. */
  private static final class Bounded implements CellCursor {
    private final CellCursor source;
    private final RowRange rows;
    private final long txn;
    private boolean started;

    Bounded(CellCursor source, RowRange rows, long txn) {
      this.source = source;
      this.rows = rows;
      this.txn = txn;
    }

    @Override
    public boolean seek(CellView target) {
      started = true;
      Bytes from = rows.from();
      boolean before = from.compareTo(target.rowArray, target.rowOffset, target.rowLength) > 0;
      return settle(source.seek(before ? CellView.beforeRow(from) : target));
    }

    @Override
    public boolean next() {
      if (!started) {
        started = true;
        return settle(source.seek(CellView.beforeRow(rows.from())));
      }
      return settle(source.next());
    }

    private boolean settle(boolean found) {
      boolean more = found;
      while (more && source.cell().txn > txn) {
        more = source.next();
      }
      return more && isInside(source.cell());
    }

    private boolean isInside(CellView cell) {
      return !rows.endsBefore(cell.rowArray, cell.rowOffset, cell.rowLength);
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
}
