package io.stele.gateway.bigtable.read;

import com.google.bigtable.v2.ReadRowsRequest;
import com.google.bigtable.v2.ReadRowsResponse;
import com.google.bigtable.v2.RowFilter;
import io.grpc.stub.ServerCallStreamObserver;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.call.BigtableErrors;
import io.stele.gateway.bigtable.filter.FilteredCell;
import io.stele.gateway.bigtable.filter.ReadBounds;
import io.stele.gateway.bigtable.filter.RowEvaluator;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One read of rows, on a thread of its own. The next page is read only when the connection has room
 * for it, so a slow client costs a page of memory.
 *
 * <p>Rows that a filter leaves nothing of are not sent and do not count; where there are many of
 * them in a row, the client is told how far the read has come, if it can make use of that.
 */
public final class ReadRowsCall implements Runnable {
  private static final int FIRST_PAGE_BYTES = 32 << 10;
  private static final int MOST_PAGE_BYTES = 1 << 20;
  private static final int KEPT_BYTES = 4 << 20;
  private static final int FEW_ROWS = 100;

  private final Tables tables;
  private final String table;
  private final ReadRowsRequest request;
  private final ServerCallStreamObserver<ReadRowsResponse> caller;
  private final boolean tellsProgress;
  private final Clock clock;
  private final RandomGenerator random;
  private final ChunkWriter chunks;
  private final ReadStats stats;
  private @Nullable RowEvaluator filter;
  private long rowsLeft;

  // The row at hand: its key stays where it was read.
  private final CellView row = new CellView();
  private boolean inRow;

  // The last row that is complete, if nothing of it and since was sent.
  private final CellView done = new CellView();
  private boolean anyDone;

  private boolean gone; // the client is

  /**
   * A read that has just begun.
   *
   * @param tellsProgress whether the client understands how far a read has come
   */
  public ReadRowsCall(
      Tables tables,
      String table,
      ReadRowsRequest request,
      ServerCallStreamObserver<ReadRowsResponse> caller,
      boolean tellsProgress,
      Clock clock,
      RandomGenerator random) {
    this.tables = tables;
    this.table = table;
    this.request = request;
    this.caller = caller;
    this.tellsProgress = tellsProgress && !request.getReversed();
    this.clock = clock;
    this.random = random;
    this.chunks = new ChunkWriter(this::send);
    this.stats = new ReadStats(clock.nanos());
    caller.setOnReadyHandler(this::wake);
    caller.setOnCancelHandler(this::wake);
  }

  @Override
  public void run() {
    try {
      read();
      if (!gone) {
        chunks.flush();
        if (request.getRequestStatsView() == ReadRowsRequest.RequestStatsView.REQUEST_STATS_FULL) {
          chunks.stats(stats.toMessage(clock.nanos()));
        }
        caller.onCompleted();
      }
    } catch (RuntimeException | Error e) {
      caller.onError(BigtableErrors.of(e));
    }
  }

  private void read() {
    if (request.getRowsLimit() < 0) {
      throw new InvalidRequestException(
          "rows_limit " + request.getRowsLimit() + ": must be 0, for all rows, or more");
    }
    rowsLeft = request.getRowsLimit() == 0 ? Long.MAX_VALUE : request.getRowsLimit();
    List<RowRange> rows = RowSets.ranges(request.getRows());
    Optional<ReadPredicate> predicate = bounds(rows);
    if (predicate.isEmpty()) {
      // Nothing can pass; whether there is such a table is to be told all the same.
      tables.read(table, ReadPredicate.ALL, ScanOptions.DEFAULT.withMaxRows(1), 1).join();
      return;
    }
    if (!request.getReversed() && isFew(predicate.get()) && readFew(predicate.get())) {
      return;
    }
    readAll(predicate.get());
  }

  private Optional<ReadPredicate> bounds(List<RowRange> rows) {
    RowFilter given = request.getFilter();
    if (given.getFilterCase() == RowFilter.FilterCase.FILTER_NOT_SET
        && given.getUnknownFields().asMap().isEmpty()) {
      return rows.isEmpty() ? Optional.empty() : Optional.of(ReadPredicate.ALL.withRows(rows));
    }
    filter = new RowEvaluator(given, this::passed, random);
    return ReadBounds.of(given).over(rows);
  }

  private static boolean isFew(ReadPredicate predicate) {
    return predicate.rows().size() <= FEW_ROWS
        && predicate.rows().stream().allMatch(RowRange::isOneRow);
  }

  /** Reads rows that are likely to fit a page; false, with nothing done, if they do not. */
  private boolean readFew(ReadPredicate predicate) {
    CellPage page = tables.read(table, predicate, ScanOptions.DEFAULT, MOST_PAGE_BYTES).join();
    if (page.more()) {
      return false;
    }
    take(page);
    endRow();
    return true;
  }

  private void readAll(ReadPredicate predicate) {
    // Without a filter every row that is read is sent; a filter may need any number of them.
    long most = filter == null ? request.getRowsLimit() : 0;
    int bytes = FIRST_PAGE_BYTES;
    boolean first = true;
    try (RowPages pages = pages(predicate, most)) {
      boolean more = true;
      while (more && rowsLeft > 0 && awaitReady()) {
        CellPage page;
        try {
          page = pages.next(bytes);
        } catch (NotFoundException e) {
          if (first) {
            throw e;
          }
          throw new UnavailableException("the read was left alone for too long, and ended", e);
        }
        first = false;
        long before = stats.cellsReturned();
        take(page);
        if (stats.cellsReturned() == before) {
          tellProgress();
        }
        more = page.more();
        bytes = Math.min(MOST_PAGE_BYTES, bytes * 2);
      }
      if (!more) {
        endRow();
      }
    }
  }

  private RowPages pages(ReadPredicate predicate, long most) {
    if (request.getReversed()) {
      return new ReversePages(tables, table, predicate, KEPT_BYTES);
    }
    TableScan scan = tables.scan(table, predicate, ScanOptions.DEFAULT.withMaxRows(most));
    return new RowPages() {
      @Override
      public CellPage next(int maxBytes) {
        return scan.next(maxBytes);
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }

  // ---- cells

  private void take(CellPage page) {
    if (page.cells().isEmpty()) {
      return;
    }
    CellBatch.Reader reader = page.cells().get().read();
    CellView cell = reader.cell();
    while (rowsLeft > 0 && reader.next()) {
      if (!inRow || !row.sameRow(cell)) {
        endRow();
        if (rowsLeft == 0) {
          return;
        }
        startRow(cell);
      }
      stats.cellSeen();
      if (filter == null) {
        chunks.cell(cell, false, "");
        stats.cellReturned();
      } else {
        filter.cell(cell);
      }
    }
  }

  private void startRow(CellView cell) {
    row.pointTo(cell);
    inRow = true;
    stats.rowSeen();
    if (filter != null) {
      filter.startRow(cell.rowArray, cell.rowOffset, cell.rowLength);
    }
  }

  private void passed(FilteredCell cell) {
    chunks.cell(cell.view(), cell.isStripped(), cell.label());
    stats.cellReturned();
  }

  private void endRow() {
    if (!inRow) {
      return;
    }
    inRow = false;
    if (filter != null) {
      filter.endRow();
    }
    if (chunks.inRow()) {
      chunks.commitRow();
      stats.rowReturned();
      rowsLeft--;
      anyDone = false; // the row itself tells how far the read has come
    } else {
      done.pointTo(row);
      anyDone = true;
    }
  }

  /** Rows before the one at hand are done with, and had nothing to send. */
  private void tellProgress() {
    if (chunks.inRow()) {
      return;
    }
    chunks.flush();
    if (tellsProgress && anyDone) {
      chunks.scanned(done.rowArray, done.rowOffset, done.rowLength);
      anyDone = false;
    }
  }

  // ---- the connection

  private void send(ReadRowsResponse message) {
    if (awaitReady()) {
      caller.onNext(message);
    } else {
      rowsLeft = 0;
    }
  }

  private synchronized void wake() {
    notifyAll();
  }

  /** False if the client went away. */
  private synchronized boolean awaitReady() {
    while (!caller.isReady() && !caller.isCancelled()) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        gone = true;
        return false;
      }
    }
    gone = caller.isCancelled();
    return !gone;
  }
}
