package io.stele.client.table;

import io.stele.base.cell.Cell;
import io.stele.base.table.CellPage;
import io.stele.base.table.TableScan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Gathers the cells of a scan, which come in pages that know nothing of rows, into rows.
 *
 * <p>A scan over the network that had to begin again at another transaction repeats the row it was
 * in: see {@link RemoteScan}. What there was of that row is then dropped, so that no row mixes two
 * transactions.
 */
final class PagedRowScan implements RowScan {
  private static final int PAGE_BYTES = 1 << 20;

  private final TableScan scan;
  private final Deque<Cell> cells = new ArrayDeque<>();
  private final List<Cell> row = new ArrayList<>(); // the one that is being gathered
  private boolean more = true;
  private long restarts;

  PagedRowScan(TableScan scan) {
    this.scan = scan;
  }

  @Override
  public Optional<Row> next() {
    while (fill() && (row.isEmpty() || row.getFirst().row().equals(cells.getFirst().row()))) {
      row.add(cells.removeFirst());
    }
    if (row.isEmpty()) {
      return Optional.empty();
    }
    Row gathered = new Row(row.getFirst().row(), row);
    row.clear();
    return Optional.of(gathered);
  }

  /** True if there is a next cell, which is then at hand. */
  private boolean fill() {
    while (cells.isEmpty() && more) {
      CellPage page = scan.next(PAGE_BYTES);
      if (scan instanceof RemoteScan remote && remote.restarts() != restarts) {
        row.clear();
        restarts = remote.restarts();
      }
      cells.addAll(Pages.cells(page));
      more = page.more();
    }
    return !cells.isEmpty();
  }

  @Override
  public void close() {
    scan.close();
  }
}
