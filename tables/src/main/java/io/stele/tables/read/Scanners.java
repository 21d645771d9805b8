package io.stele.tables.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatchWriter;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.NotFoundException;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.time.Clock;
import io.stele.engine.fragment.CellCursor;
import io.stele.tables.read.TabletAccess.OpenTablet;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import io.stele.tables.txn.Sequencer;
import io.stele.tables.txn.Snapshots;
import io.stele.tables.write.WritePath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * All scans of a server, the one used longest ago first. Scans that nobody asks for any more, and
 * the least used ones when there are too many, are ended, because each keeps old versions on disk.
 */
public final class Scanners {
  private static final int ROW_BUFFER = 1536;

  private final Snapshots snapshots;
  private final Sequencer sequencer;
  private final TabletAccess access;
  private final Clock clock;
  private final int most;
  private final long idleNanos;

  // Value: when it was last used, by the monotonic clock.
  @GuardedBy("this")
  private final LinkedHashMap<TableScanner, Long> open = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * Starts without scans.
   *
   * @param most open at a time
   * @param idle a scan that nobody asks for so long is ended
   */
  public Scanners(
      Snapshots snapshots,
      Sequencer sequencer,
      TabletAccess access,
      Clock clock,
      int most,
      Duration idle) {
    this.snapshots = snapshots;
    this.sequencer = sequencer;
    this.access = access;
    this.clock = clock;
    this.most = most;
    this.idleNanos = idle.toNanos();
  }

  TabletAccess access() {
    return access;
  }

  /** Fails if nothing that was read may be answered any more. */
  void checkLease() {
    sequencer.checkLease();
  }

  /** Microseconds, for purge policies. */
  long now() {
    return clock.micros();
  }

  /** Starts a scan. */
  public TableScanner open(Table table, ReadPredicate predicate, ScanOptions options) {
    return open(table, predicate, options, movesOn(table, options));
  }

  /** Starts a scan of all that was written until now, durable or not, and nothing else. */
  public TableScanner openAsItIs(Table table, ReadPredicate predicate) {
    return open(table, predicate, ScanOptions.DEFAULT.withLatest(true), false);
  }

  private static boolean movesOn(Table table, ScanOptions options) {
    return options.latest() && options.atTxn() == 0 && !table.isMeta();
  }

  private TableScanner open(
      Table table, ReadPredicate predicate, ScanOptions options, boolean movesOn) {
    long txn = openSnapshot(table, predicate, options);
    TableScanner scanner = new TableScanner(this, table, predicate, options, movesOn, txn);
    synchronized (this) {
      open.put(scanner, clock.nanos());
    }
    endSuperfluous();
    return scanner;
  }

  private long openSnapshot(Table table, ReadPredicate predicate, ScanOptions options) {
    if (options.atTxn() == 0) {
      // First, since the transactions of a tablet that comes are newer than those before it.
      access.awaitLoaded(table, TableScanner.firstRow(predicate, options));
      return snapshots.open(options.latest() ? sequencer::assigned : sequencer::durable);
    }
    if (cameSince(table, predicate, options.atTxn())) {
      throw new NotFoundException(
          "tablets of table \""
              + table.name()
              + "\" came to this server after transaction "
              + options.atTxn());
    }
    if (!snapshots.reopen(options.atTxn())) {
      throw new NotFoundException(
          "transaction " + options.atTxn() + " is not held open by a scan any more");
    }
    return options.atTxn();
  }

  private static boolean cameSince(Table table, ReadPredicate predicate, long txn) {
    return table.view().tablets().stream()
        .filter(tablet -> tablet.sinceTxn() > txn)
        .anyMatch(
            tablet ->
                predicate.rows().stream()
                    .anyMatch(rows -> rows.intersect(tablet.range()).isPresent()));
  }

  /** Reads once, at most so many bytes. */
  public CellPage read(Table table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    if (options.equals(ScanOptions.DEFAULT) && predicate.rows().size() == 1) {
      RowRange rows = predicate.rows().getFirst();
      if (rows.isOneRow()) {
        return readRow(table, predicate, rows.from(), sequencer::durable, maxBytes);
      }
    }
    try (TableScanner scanner =
        new TableScanner(
            this, table, predicate, options, false, openSnapshot(table, predicate, options))) {
      return scanner.next(maxBytes);
    }
  }

  /** The newest state of a row, durable or not. */
  public CellPage readLatest(Table table, ReadPredicate predicate, Bytes row) {
    return readRow(
        table,
        predicate.withRows(List.of(RowRange.row(row))),
        row,
        sequencer::assigned,
        Integer.MAX_VALUE);
  }

  /** What became of a marked request, if the row has its mark, durable or not. */
  public Optional<WritePath.Done> findRequest(Table table, Bytes row, Bytes id) {
    ReadPredicate mark =
        ReadPredicate.rows(RowRange.row(row))
            .withColumns(ColumnRange.column(RequestMark.FAMILY, id));
    return readRow(
        table,
        row,
        sequencer::assigned,
        (view, tablet, txn) -> {
          Optional<CellCursor> found =
              TabletReader.open(view, tablet, mark, mark.rows(), txn, now());
          if (found.isEmpty()) {
            return Optional.empty();
          }
          try (CellCursor cells = found.get()) {
            return cells.next()
                ? Optional.of(
                    new WritePath.Done(cells.cell().txn, RequestMark.answer(cells.cell())))
                : Optional.empty();
          }
        });
  }

  private interface RowReader<T> {
    T read(TableView view, TabletView tablet, long txn);
  }

  private CellPage readRow(
      Table table, ReadPredicate predicate, Bytes row, LongSupplier readTxn, int maxBytes) {
    return readRow(
        table,
        row,
        readTxn,
        (view, tablet, txn) -> readRow(view, tablet, predicate, txn, maxBytes));
  }

  /**
   * Reads a row without a snapshot: the view that is borrowed keeps the files, and it must still be
   * the current one when the transaction is taken, so that no rewrite has dropped what that sees.
   */
  private <T> T readRow(Table table, Bytes row, LongSupplier readTxn, RowReader<T> reader) {
    while (true) {
      OpenTablet readable = access.open(table, row);
      try (Borrowed borrowed = readable.borrowed()) {
        long txn = readTxn.getAsLong();
        if (borrowed.isCurrent()) {
          T found = reader.read(borrowed.view(), readable.tablet(), txn);
          sequencer.checkLease();
          return found;
        }
      }
    }
  }

  private CellPage readRow(
      TableView view, TabletView tablet, ReadPredicate predicate, long txn, int maxBytes) {
    Optional<CellCursor> found =
        TabletReader.open(view, tablet, predicate, predicate.rows(), txn, now());
    if (found.isEmpty()) {
      return new CellPage(txn, Optional.empty(), false);
    }
    CellBatchWriter out = new CellBatchWriter(ROW_BUFFER);
    try (CellCursor cells = found.get()) {
      while (cells.next()) {
        if (out.count() > 0 && out.size() >= maxBytes) {
          return new CellPage(txn, out.finish(txn), true);
        }
        out.add(cells.cell());
      }
    }
    return new CellPage(txn, out.finish(txn), false);
  }

  /** The newest transaction, which is held open in place of another. */
  long moveOn(long txn) {
    long newest = snapshots.open(sequencer::assigned);
    snapshots.close(txn);
    return newest;
  }

  void use(TableScanner scanner) {
    synchronized (this) {
      open.computeIfPresent(scanner, (_, _) -> clock.nanos());
    }
  }

  void ended(TableScanner scanner) {
    snapshots.close(scanner.txn());
    synchronized (this) {
      open.remove(scanner);
    }
  }

  /** Ends scans that are idle or too many; to be called now and then. */
  public void endSuperfluous() {
    List<TableScanner> ended = new ArrayList<>();
    synchronized (this) {
      long now = clock.nanos();
      Iterator<Map.Entry<TableScanner, Long>> eldest = open.entrySet().iterator();
      while (eldest.hasNext()) {
        Map.Entry<TableScanner, Long> entry = eldest.next();
        if (open.size() <= most && now - entry.getValue() < idleNanos) {
          break;
        }
        ended.add(entry.getKey());
        eldest.remove();
      }
    }
    ended.forEach(
        scanner -> scanner.close("was ended because it was left alone, or there were too many"));
  }

  public int count() {
    synchronized (this) {
      return open.size();
    }
  }
}
