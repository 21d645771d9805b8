package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellView;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.ScanOptions.Position;
import io.stele.base.table.TableScan;
import io.stele.base.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A scan over the partitions of a table, one after the other. Of each it sees what was there when
 * it came to it. Where a replica has gone meanwhile, as after a split, it goes on behind the last
 * cell with who has the rows now.
 */
final class PartitionsScan implements TableScan {
  /** Opens a scan of the partition that holds the first row of a predicate. */
  interface Opener {
    Part open(ReadPredicate predicate, ScanOptions options, Bytes firstRow);
  }

  /**
   * The part of a scan that is in one partition.
   *
   * @param end the first row behind it; none if it is the last
   */
  record Part(TableScan scan, Optional<Bytes> end) {}

  private static final int MOST_LOSSES = 20;

  private final Opener opener;
  private final OpenScans scans;
  private final ReadPredicate predicate;
  private final long maxRows;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private ScanOptions options;
  private Optional<Bytes> from; // rows before it are done
  private @Nullable Part part;
  private @Nullable Bytes lastRow;
  private long rows;
  private long txn;
  private long lastUsed;
  private boolean finished;
  private boolean closed;
  private final Clock clock;

  PartitionsScan(
      Opener opener, OpenScans scans, Clock clock, ReadPredicate predicate, ScanOptions options) {
    this.opener = opener;
    this.scans = scans;
    this.clock = clock;
    this.predicate = predicate;
    this.options = options;
    this.maxRows = options.maxRows();
    this.from = options.after().map(Position::row);
    this.lastUsed = clock.nanos();
    if (options.atTxn() != 0) {
      throw new NotFoundException(
          "transaction " + options.atTxn() + ": of replicated tables only the present can be read");
    }
    open(); // fails at once if the first rows are not here
    scans.add(this);
  }

  @Override
  public long txn() {
    lock.lock();
    try {
      return txn;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public CellPage next(int maxBytes) {
    lock.lock();
    try {
      if (closed) {
        throw new NotFoundException("the scan is closed");
      }
      lastUsed = clock.nanos();
      for (int losses = 0; ; ) {
        if (finished) {
          return new CellPage(txn, Optional.empty(), false);
        }
        try {
          Part current = part == null ? open() : part;
          CellPage page = current == null ? end() : current.scan.next(maxBytes);
          note(page);
          if (!page.more() && current != null) {
            leave(current);
          }
          if (page.cells().isPresent() || finished) {
            return new CellPage(page.txn(), page.cells(), !finished);
          }
        } catch (NotFoundException e) {
          letGo(); // the replica was closed; who has its rows now may be here too
          if (++losses > MOST_LOSSES) {
            throw e;
          }
        } catch (MajorityScan.Outdated e) {
          letGo();
          if (++losses > MOST_LOSSES) {
            throw new UnavailableException(
                e.getMessage() + " is known elsewhere, and cannot be had", e);
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private CellPage end() {
    finished = true;
    return new CellPage(txn, Optional.empty(), false);
  }

  /** Goes on with the partition that has the next rows; nothing if there are none. */
  private @Nullable Part open() {
    List<RowRange> left = new ArrayList<>();
    for (RowRange range : predicate.rows()) {
      range
          .intersect(new RowRange(from.orElse(Bytes.EMPTY), null))
          .filter(each -> each.to() == null || each.from().compareTo(each.to()) < 0)
          .ifPresent(left::add);
    }
    if (left.isEmpty() || (maxRows > 0 && rows >= maxRows && !insideRow())) {
      finished = true;
      return null;
    }
    ScanOptions now =
        options.withMaxRows(maxRows == 0 ? 0 : maxRows - rows + (insideRow() ? 1 : 0));
    Part opened = opener.open(predicate.withRows(left), now, left.getFirst().from());
    part = opened;
    txn = opened.scan.txn();
    return opened;
  }

  /** Whether the last cell's row may have more cells. */
  private boolean insideRow() {
    return lastRow != null
        && options.after().map(Position::row).filter(lastRow::equals).isPresent();
  }

  private void leave(Part current) {
    current.scan.close();
    part = null;
    from = current.end;
    options =
        new ScanOptions(options.latest(), options.atTxn(), Optional.empty(), options.maxRows());
    if (current.end.isEmpty() || (maxRows > 0 && rows >= maxRows)) {
      finished = true;
    } else {
      Bytes next = current.end.get();
      finished =
          predicate.rows().stream()
              .noneMatch(each -> each.to() == null || next.compareTo(each.to()) < 0);
    }
  }

  /** Counts rows, and remembers the last cell. */
  private void note(CellPage page) {
    if (page.cells().isEmpty()) {
      return;
    }
    CellBatch.Reader reader = page.cells().get().read();
    CellView cell = reader.cell();
    while (reader.next()) {
      Bytes known = lastRow;
      if (known == null || known.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) != 0) {
        lastRow = cell.row();
        rows++;
      }
    }
    Position position = new Position(cell.row(), cell.family(), cell.qualifier(), cell.timestamp);
    options = options.withAfter(position);
    from = Optional.of(position.row());
  }

  private void letGo() {
    Part held = part;
    if (held != null) {
      part = null;
      held.scan.close();
    }
  }

  void letGoIfIdle(long since) {
    if (lock.tryLock()) {
      try {
        if (lastUsed - since < 0) {
          letGo();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      letGo();
    } finally {
      lock.unlock();
    }
    scans.remove(this);
  }
}
