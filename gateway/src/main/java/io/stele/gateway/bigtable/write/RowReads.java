package io.stele.gateway.bigtable.write;

import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellView;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.gateway.bigtable.call.BigtableErrors;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;

/** Reads of a row by those who are about to change it: of what is durable, at one transaction. */
final class RowReads {
  private static final int PAGE_BYTES = 256 << 10;

  private RowReads() {}

  /**
   * Shows cells one by one, as long as they are asked for. Most rows fit one page; others are
   * scanned.
   *
   * @param wanted is told each cell, whose bytes stay as they are, and says whether to go on
   * @return the transaction
   */
  static long each(
      Tables tables, String table, ReadPredicate predicate, Predicate<CellView> wanted) {
    CellPage page = join(tables.read(table, predicate, ScanOptions.DEFAULT, PAGE_BYTES));
    if (!page.more()) {
      show(page, wanted);
      return page.txn();
    }
    try (TableScan scan = tables.scan(table, predicate, ScanOptions.DEFAULT)) {
      boolean more = true;
      while (more) {
        CellPage next = scan.next(PAGE_BYTES);
        more = show(next, wanted) && next.more();
      }
      return scan.txn();
    }
  }

  private static boolean show(CellPage page, Predicate<CellView> wanted) {
    if (page.cells().isPresent()) {
      CellBatch.Reader reader = page.cells().get().read();
      while (reader.next()) {
        if (!wanted.test(reader.cell())) {
          return false;
        }
      }
    }
    return true;
  }

  /** Waits, and fails as what was waited for did. */
  static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (BigtableErrors.cause(e) instanceof SteleException known) {
        throw known;
      }
      throw e;
    }
  }
}
