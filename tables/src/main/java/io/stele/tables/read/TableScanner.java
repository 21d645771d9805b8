package io.stele.tables.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatchWriter;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.engine.fragment.CellCursor;
import io.stele.tables.read.TabletAccess.OpenTablet;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletListener;
import io.stele.tables.tablet.TabletView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A scan: a place in a table and a transaction. It walks tablet by tablet; the merge of the tablet
 * at hand is kept from call to call as long as nobody needs what it holds. When fragments are
 * replaced it lets go of them before the callback returns, or with the end of the call under way,
 * and the next call builds the merge again, after the last cell, at the same transaction.
 *
 * <p>A scan of the latest moves on to the newest transaction with every call, between two rows: it
 * sees what is added while it runs, and never half of a change of a row. Scans of META stay where
 * they began: one that moved on could see half of a split.
 */
final class TableScanner implements TableScan, TabletListener {
  private static final int FIRST_BUFFER = 64 << 10;

  private final Scanners owner;
  private final Table table;
  private final ReadPredicate predicate;
  private final boolean movesOn;
  private volatile long txn; // written under lock
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private Bytes from; // rows below it have been dealt with

  @GuardedBy("lock")
  private @Nullable CellView after; // cells up to it have been handed out

  @GuardedBy("lock")
  private @Nullable Merge merge;

  @GuardedBy("lock")
  private long rowsLeft;

  @GuardedBy("lock")
  private @Nullable Bytes row; // the row at hand

  @GuardedBy("lock")
  private boolean stale; // it is to move on before the next row

  @GuardedBy("lock")
  private boolean finished;

  @GuardedBy("lock")
  private @Nullable String closedBecause;

  private volatile boolean outdated; // the merge holds what others have replaced

  /** What is open of the tablet at hand. */
  private static final class Merge {
    final OpenTablet readable;
    final CellCursor cells;
    boolean started;
    boolean pending; // stands on a cell that was not handed out

    Merge(OpenTablet readable, CellCursor cells) {
      this.readable = readable;
      this.cells = cells;
    }

    boolean advance(@Nullable CellView after) {
      if (pending) {
        return true;
      }
      pending = (started || after == null) ? cells.next() : cells.seek(after);
      started = true;
      return pending;
    }
  }

  TableScanner(
      Scanners owner,
      Table table,
      ReadPredicate predicate,
      ScanOptions options,
      boolean movesOn,
      long txn) {
    this.owner = owner;
    this.table = table;
    this.predicate = predicate;
    this.movesOn = movesOn;
    this.txn = txn;
    this.rowsLeft = options.maxRows() == 0 ? Long.MAX_VALUE : options.maxRows();
    this.from = predicate.rows().getFirst().from();
    if (options.after().isPresent() && options.after().get().row().compareTo(from) >= 0) {
      ScanOptions.Position position = options.after().get();
      this.from = position.row();
      this.after =
          behind(
              CellView.beforeColumn(position.row(), position.family(), position.qualifier()),
              position.timestamp());
    }
  }

  /** The first row that a scan looks for. */
  static Bytes firstRow(ReadPredicate predicate, ScanOptions options) {
    Bytes from = predicate.rows().getFirst().from();
    Bytes first =
        options
            .after()
            .map(ScanOptions.Position::row)
            .filter(row -> row.compareTo(from) > 0)
            .orElse(from);
    return probe(first);
  }

  /** The first row that can exist at or behind a place: no row is empty. */
  private static Bytes probe(Bytes from) {
    return from.isEmpty() ? from.successor() : from;
  }

  /** Turns a view of a column into one that stands behind a version of it. */
  private static CellView behind(CellView column, long timestamp) {
    column.kind = CellKind.PUT;
    column.timestamp = timestamp;
    column.txn = 0;
    return column;
  }

  @Override
  public long txn() {
    return txn;
  }

  @Override
  public CellPage next(int maxBytes) {
    owner.use(this);
    lock.lock();
    try {
      return nextLocked(maxBytes);
    } finally {
      lock.unlock();
      if (outdated) {
        letGoUnlessBusy(); // a listener may have come between the look and the unlock
      }
    }
  }

  @GuardedBy("lock")
  private CellPage nextLocked(int maxBytes) {
    try {
      if (closedBecause != null) {
        throw new NotFoundException("scan of table \"" + table.name() + "\" " + closedBecause);
      }
      stale = movesOn;
      CellPage page = fill(maxBytes);
      owner.checkLease();
      return page;
    } finally {
      if (outdated) {
        letGo();
      }
    }
  }

  @GuardedBy("lock")
  private CellPage fill(int wantedBytes) {
    CellBatchWriter out = new CellBatchWriter(Math.min(wantedBytes, FIRST_BUFFER));
    int maxBytes = Math.max(wantedBytes, out.size() + 1); // at least one cell
    while (!finished && out.size() < maxBytes) {
      if (merge == null && stale && !isInRow()) {
        moveOn();
      }
      Merge at = merge != null ? merge : openTablet();
      if (at != null) {
        takeCells(at, out, maxBytes);
      }
    }
    return new CellPage(txn, out.finish(txn), !finished);
  }

  /** Hands out cells of the tablet at hand. */
  @GuardedBy("lock")
  private void takeCells(Merge at, CellBatchWriter out, int maxBytes) {
    while (at.advance(after)) {
      CellView cell = at.cells.cell();
      if (out.size() >= maxBytes) {
        return;
      }
      if (stale && !isOfRow(cell)) {
        moveOnAfterRow();
        return;
      }
      if (!countRow(cell)) {
        finish();
        return;
      }
      out.add(cell);
      at.pending = false;
      if (out.size() >= maxBytes) {
        remember(cell);
        return;
      }
    }
    if (stale) {
      moveOnAfterRow(); // there may be more in the tablet now
    } else {
      leaveTablet(at);
    }
  }

  /** Was a cell of a row handed out last, and may there be more of the row? */
  @GuardedBy("lock")
  private boolean isInRow() {
    return row != null && row.equals(from) && after != null;
  }

  @GuardedBy("lock")
  private boolean isOfRow(CellView cell) {
    Bytes current = row;
    return current != null && current.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) == 0;
  }

  @GuardedBy("lock")
  private void moveOnAfterRow() {
    Bytes done = row;
    letGo();
    if (done != null && done.compareTo(from) >= 0) {
      from = done.successor();
      after = null;
    }
    moveOn();
  }

  @GuardedBy("lock")
  private void moveOn() {
    txn = owner.moveOn(txn);
    stale = false;
  }

  /** False if the cell is of a row too many. */
  @GuardedBy("lock")
  private boolean countRow(CellView cell) {
    if (isOfRow(cell)) {
      return true;
    }
    if (rowsLeft == 0) {
      return false;
    }
    rowsLeft--;
    row = cell.row();
    return true;
  }

  @GuardedBy("lock")
  private void remember(CellView cell) {
    from = cell.row();
    after = behind(CellView.beforeColumn(from, cell.family(), cell.qualifier()), cell.timestamp);
  }

  /** Opens the tablet of the next wanted row; nothing if it has nothing, or there is none. */
  @GuardedBy("lock")
  private @Nullable Merge openTablet() {
    Optional<Bytes> wanted = nextWantedRow();
    if (wanted.isEmpty()) {
      finish();
      return null;
    }
    if (!wanted.get().equals(from)) {
      from = wanted.get();
      after = null;
    }
    outdated = false;
    Bytes probe = probe(from);
    OpenTablet readable = owner.access().open(table, probe);
    boolean kept = false;
    try {
      checkKnown(readable.tablet(), probe);
      List<RowRange> rows = new ArrayList<>();
      for (RowRange range : predicate.rows()) {
        range
            .intersect(readable.tablet().range())
            .flatMap(inTablet -> inTablet.intersect(new RowRange(from, null)))
            .ifPresent(rows::add);
      }
      Optional<CellCursor> cells =
          rows.isEmpty()
              ? Optional.empty()
              : TabletReader.open(
                  readable.borrowed().view(), readable.tablet(), predicate, rows, txn, owner.now());
      if (cells.isPresent()) {
        Merge opened = new Merge(readable, cells.get());
        merge = opened;
        table.events().add(this, readable.tablet().tablet());
        kept = true;
        if (!readable.borrowed().isCurrent()) {
          outdated = true; // replaced before anybody could tell
        }
        return opened;
      }
      stepBehind(readable);
      return null;
    } finally {
      if (!kept) {
        readable.borrowed().close();
      }
    }
  }

  /** A tablet that came here after the scan's transaction is not what it was then. */
  private void checkKnown(TabletView tablet, Bytes first) {
    if (tablet.sinceTxn() > txn) {
      throw new NotServingException(
          "the tablet of table \""
              + table.name()
              + "\" with row \""
              + first
              + "\" came here after transaction "
              + txn
              + ", at which it is scanned: scan anew from there");
    }
  }

  @GuardedBy("lock")
  private Optional<Bytes> nextWantedRow() {
    for (RowRange range : predicate.rows()) {
      Bytes to = range.to();
      if (to == null || to.compareTo(from) > 0) {
        return Optional.of(range.from().compareTo(from) > 0 ? range.from() : from);
      }
    }
    return Optional.empty();
  }

  @GuardedBy("lock")
  private void leaveTablet(Merge at) {
    stepBehind(at.readable);
    letGo();
  }

  @GuardedBy("lock")
  private void stepBehind(OpenTablet readable) {
    Optional<Bytes> last = readable.tablet().last();
    if (last.isEmpty()) {
      finish();
    } else {
      from = last.get().successor();
      after = null;
    }
  }

  @GuardedBy("lock")
  private void finish() {
    finished = true;
    letGo();
  }

  @GuardedBy("lock")
  private void letGo() {
    Merge held = merge;
    if (held == null) {
      return;
    }
    merge = null;
    table.events().remove(this, held.readable.tablet().tablet());
    held.cells.close();
    held.readable.borrowed().close();
  }

  @Override
  public void onFragmentListUpdate(Tablet tablet, int group, int begin, int end) {
    outdate();
  }

  @Override
  public void onRowRangeUpdate(Tablet tablet, Optional<RowRange> rows) {
    outdate();
  }

  private void outdate() {
    outdated = true;
    letGoUnlessBusy();
  }

  private void letGoUnlessBusy() {
    if (lock.tryLock()) {
      try {
        letGo();
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public void close() {
    close("is closed");
  }

  /** Ends it for a reason that the next caller is told. */
  void close(String because) {
    boolean first;
    lock.lock();
    try {
      first = closedBecause == null;
      if (first) {
        closedBecause = because;
        letGo();
      }
    } finally {
      lock.unlock();
    }
    if (first) {
      owner.ended(this);
    }
  }
}
