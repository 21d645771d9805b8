package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The page of a scan that has come last: hands it out whole, or in pieces to those who ask for
 * less, and knows where a scan that broke has to go on.
 */
final class PageCutter {
  private final long maxRows; // 0 for all
  private long rows; // that began in all pages; counted only where their number matters
  private @Nullable Bytes lastRow; // likewise
  private @Nullable CellBatch lastCells; // the newest page that had cells

  private long txn;
  private boolean more;
  private @Nullable CellBatch whole; // to be handed out
  private CellBatch.@Nullable Reader rest; // to be handed out; stands on its next cell

  PageCutter(long maxRows) {
    this.maxRows = maxRows;
  }

  /** The next page; the one before must have been handed out. */
  void add(CellPage page) {
    txn = page.txn();
    more = page.more();
    whole = page.cells().orElse(null);
    rest = null;
    if (whole != null && maxRows > 0) {
      whole = withinRows(whole);
    }
    lastCells = whole == null ? lastCells : whole;
    more &= !isFull();
  }

  /** The first cells of a page up to the number of rows. */
  private @Nullable CellBatch withinRows(CellBatch cells) {
    CellBatchBuilder within = new CellBatchBuilder();
    CellBatch.Reader reader = cells.read();
    while (reader.next()) {
      Bytes row = reader.cell().row();
      if (!row.equals(lastRow)) {
        if (rows == maxRows) {
          rows++; // one more than wanted has begun: the last is complete
          return within.size() == 0 ? null : within.build();
        }
        rows++;
        lastRow = row;
      }
      within.add(reader.cell().toCell());
    }
    return cells;
  }

  /** Nothing comes behind the page that was added last. */
  void noMore() {
    more = false;
  }

  /** True if more rows have begun than are wanted. */
  boolean isFull() {
    return maxRows > 0 && rows > maxRows;
  }

  /** True if as many rows have begun as are wanted; the last of them may go on. */
  boolean hasAllRows() {
    return maxRows > 0 && rows >= maxRows;
  }

  /** So many rows are to be asked for from behind the last cell: its row may go on. */
  long rowsLeft() {
    return maxRows == 0 ? 0 : maxRows - rows + 1;
  }

  /** So many rows are to be asked for from behind the last row; 0 for all. */
  long newRowsLeft() {
    return maxRows == 0 ? 0 : maxRows - rows;
  }

  /** The last cell of all pages. */
  Optional<ScanOptions.Position> last() {
    if (lastCells == null) {
      return Optional.empty();
    }
    CellBatch.Reader reader = lastCells.read();
    boolean any = false;
    while (reader.next()) {
      any = true;
    }
    CellView last = reader.cell();
    return any
        ? Optional.of(
            new ScanOptions.Position(last.row(), last.family(), last.qualifier(), last.timestamp))
        : Optional.empty();
  }

  /** The last row is going to come again. */
  void dropLastRow() {
    if (lastRow != null) {
      lastRow = null;
      rows--;
    }
  }

  /** Cells that have come and were not handed out yet: not many more than so many bytes. */
  Optional<CellPage> next(int maxBytes) {
    CellBatch page = whole;
    if (page != null && page.length() / 2 <= maxBytes) {
      whole = null;
      return Optional.of(new CellPage(txn, Optional.of(page), more));
    }
    if (page != null) {
      whole = null;
      CellBatch.Reader reader = page.read();
      rest = reader.next() ? reader : null;
    }
    return rest == null ? Optional.empty() : Optional.of(piece(rest, maxBytes));
  }

  private CellPage piece(CellBatch.Reader reader, int maxBytes) {
    CellBatchBuilder piece = new CellBatchBuilder();
    long bytes = 0;
    boolean left = true;
    while (left && (piece.size() == 0 || bytes < maxBytes)) {
      Cell cell = reader.cell().toCell();
      bytes += cell.view().size();
      piece.add(cell.withTxn(0));
      left = reader.next();
    }
    rest = left ? reader : null;
    return new CellPage(txn, Optional.of(piece.build()), left || more);
  }
}
