package io.stele.client.table;

import io.stele.base.cell.Cell;
import io.stele.base.table.CellPage;
import io.stele.base.table.TableScan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Gathers the cells of a scan, which come in pages that know nothing of rows, into rows. */
final class PagedRowScan implements RowScan {
  private static final int PAGE_BYTES = 1 << 20;

  private final TableScan scan;
  private final Deque<Cell> cells = new ArrayDeque<>();
  private boolean more = true;

  PagedRowScan(TableScan scan) {
    this.scan = scan;
  }

  @Override
  public Optional<Row> next() {
    List<Cell> row = new ArrayList<>();
    while (fill() && (row.isEmpty() || row.getFirst().row().equals(cells.getFirst().row()))) {
      row.add(cells.removeFirst());
    }
    return row.isEmpty() ? Optional.empty() : Optional.of(new Row(row.getFirst().row(), row));
  }

  /** True if there is a next cell, which is then at hand. */
  private boolean fill() {
    while (cells.isEmpty() && more) {
      CellPage page = scan.next(PAGE_BYTES);
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
