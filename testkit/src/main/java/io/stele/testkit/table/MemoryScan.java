package io.stele.testkit.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** A scan of a {@link MemoryTable}, which reads a row at a time. */
final class MemoryScan implements TableScan {
  private final MemoryTables owner;
  private final String name;
  private final ReadPredicate predicate;
  private final ScanOptions options;
  private final long txn;
  private final Iterator<Bytes> rows;
  private final Deque<Cell> cells = new ArrayDeque<>(); // of the row it has come to
  private long rowsLeft;

  /** To be called with the owner's lock held. */
  MemoryScan(
      MemoryTables owner,
      String name,
      MemoryTable table,
      ReadPredicate predicate,
      ScanOptions options,
      long txn) {
    this.owner = owner;
    this.name = name;
    this.predicate = predicate;
    this.options = options;
    this.txn = txn;
    this.rowsLeft = options.maxRows() == 0 ? Long.MAX_VALUE : options.maxRows();
    RowRange behind = options.after().map(p -> new RowRange(p.row(), null)).orElse(RowRange.ALL);
    this.rows =
        predicate.rows().stream()
            .flatMap(range -> range.intersect(behind).stream())
            .flatMap(range -> table.rowKeys(range).stream())
            .toList()
            .iterator();
  }

  @Override
  public long txn() {
    return txn;
  }

  @Override
  public CellPage next(int maxBytes) {
    owner.before("scan.next");
    synchronized (owner) {
      MemoryTable table = owner.serving(name);
      CellBatchBuilder page = new CellBatchBuilder();
      long bytes = 0;
      while (fill(table) && (page.size() == 0 || bytes < maxBytes)) {
        Cell cell = cells.removeFirst();
        bytes += cell.view().size();
        page.add(cell);
      }
      return new CellPage(
          txn, page.size() == 0 ? Optional.empty() : Optional.of(page.build()), fill(table));
    }
  }

  private boolean fill(MemoryTable table) {
    while (cells.isEmpty() && rows.hasNext() && rowsLeft > 0) {
      Bytes row = rows.next();
      List<Cell> found = table.row(row, predicate, txn, owner.clock().micros());
      found.stream().filter(this::isBehindStart).forEach(cells::add);
      rowsLeft -= cells.isEmpty() ? 0 : 1;
    }
    return !cells.isEmpty();
  }

  private boolean isBehindStart(Cell cell) {
    return options
        .after()
        .map(p -> Cell.eraseCell(p.row(), p.family(), p.qualifier(), p.timestamp()))
        .map(at -> at.compareTo(cell.withTxn(0)) < 0)
        .orElse(true);
  }

  @Override
  public void close() {
    owner.release(this);
  }
}
