package io.stele.client.table;

import io.stele.base.table.CellPage;
import io.stele.base.table.TableScan;
import java.util.Optional;

/** A scan whose rows have all come in one answer. */
final class OnePageScan implements TableScan {
  private final PageCutter cutter = new PageCutter(0);
  private final long txn;

  OnePageScan(CellPage page) {
    this.txn = page.txn();
    cutter.add(page);
  }

  @Override
  public long txn() {
    return txn;
  }

  @Override
  public CellPage next(int maxBytes) {
    return cutter.next(maxBytes).orElseGet(() -> new CellPage(txn, Optional.empty(), false));
  }

  @Override
  public void close() {}
}
