package io.stele.tables.row;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.RowsDeleted;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.tables.read.Scanners;
import io.stele.tables.tablet.Table;
import io.stele.tables.write.WritePath;
import java.util.Optional;

/**
 * Erases the rows of a range, page by page, and knows how far it has come: a tablet may leave in
 * the middle. Of one thread.
 */
final class RangeErasure {
  private static final int PAGE_BYTES = 256 << 10;

  private final Scanners reads;
  private final WritePath writes;
  private final Table table;
  private Bytes erased = Bytes.EMPTY; // the last row whose erasure was committed
  private long count; // of committed erasures
  private long txn; // of the last one

  RangeErasure(Scanners reads, WritePath writes, Table table) {
    this.reads = reads;
    this.writes = writes;
    this.table = table;
  }

  /** Erases all of it; returns when that is durable. */
  void run(RowRange rows) {
    try (TableScan scan =
        reads.openAsItIs(table, ReadPredicate.rows(rows).withHistory(1))) { // or it may never end
      CellPage page;
      do {
        page = scan.next(PAGE_BYTES);
        if (page.cells().isPresent()) {
          erase(page.cells().get());
        }
      } while (page.more());
    }
    writes.awaitDurable(txn);
  }

  private void erase(CellBatch cells) {
    CellBatchBuilder erasures = new CellBatchBuilder();
    Bytes last = erased;
    CellBatch.Reader reader = cells.read();
    while (reader.next()) {
      CellView cell = reader.cell();
      if (last.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) != 0) {
        last = cell.row();
        erasures.add(Cell.eraseRow(last));
      }
    }
    if (erasures.size() > 0) {
      txn = writes.commit(table, erasures.build(), Tables.ANY_TXN, false);
      erased = last;
      count += erasures.size();
    }
  }

  long count() {
    return count;
  }

  /** What was done before it failed, once that is durable; nothing if nothing was. */
  Optional<RowsDeleted> soFar() {
    if (count == 0) {
      return Optional.empty();
    }
    writes.awaitDurable(txn);
    return Optional.of(new RowsDeleted(count, Optional.of(erased.successor())));
  }
}
