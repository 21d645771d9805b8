package io.stele.tables.load;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.tables.meta.MetaAccess;
import io.stele.tables.read.Scanners;
import io.stele.tables.write.WritePath;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** META on this very server. */
public final class LocalMeta implements MetaAccess {
  private static final int PAGE_BYTES = 256 << 10;

  private final TableSet tables;
  private final WritePath writes;
  private final Scanners reads;

  public LocalMeta(TableSet tables, WritePath writes, Scanners reads) {
    this.tables = tables;
    this.writes = writes;
    this.reads = reads;
  }

  @Override
  public CompletableFuture<Long> apply(
      String metaTable, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return writes.apply(tables.get(metaTable), cells, commitMaxTxn, waitForSync);
  }

  @Override
  public List<List<Bytes>> together(String metaTable, List<Bytes> rows) {
    return rows.isEmpty() ? List.of() : List.of(rows);
  }

  @Override
  public long scan(
      String metaTable, ReadPredicate predicate, boolean latest, Predicate<Cell> each) {
    return scan(metaTable, predicate, latest, 0, each);
  }

  @Override
  public long scan(
      String metaTable, ReadPredicate predicate, boolean latest, int rows, Predicate<Cell> each) {
    ScanOptions options = ScanOptions.DEFAULT.withLatest(latest).withMaxRows(rows);
    try (TableScan scan = reads.open(tables.get(metaTable), predicate, options)) {
      while (true) {
        CellPage page = scan.next(PAGE_BYTES);
        if (page.cells().isPresent()) {
          CellBatch.Reader reader = page.cells().get().read();
          while (reader.next()) {
            if (!each.test(reader.cell().toCell())) {
              return scan.txn();
            }
          }
        }
        if (!page.more()) {
          return scan.txn();
        }
      }
    }
  }
}
