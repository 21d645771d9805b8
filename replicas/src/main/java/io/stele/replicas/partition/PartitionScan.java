package io.stele.replicas.partition;

import io.stele.base.error.NotFoundException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.engine.Scan;
import io.stele.engine.Snapshot;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A scan of a replica: a snapshot, and what is open of the store from call to call. When fragments
 * have been replaced meanwhile, the next call lets go of them and goes on behind the last cell.
 */
final class PartitionScan implements TableScan {
  private final EnginePartition partition;
  private final ReadPredicate predicate;
  private final Snapshot snapshot;
  private final PageWriter pages;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private @Nullable Scan open;
  private boolean closed;

  PartitionScan(
      EnginePartition partition, ReadPredicate predicate, ScanOptions options, Snapshot snapshot) {
    this.partition = partition;
    this.predicate = predicate;
    this.snapshot = snapshot;
    this.pages = new PageWriter(predicate, options);
  }

  @Override
  public long txn() {
    return snapshot.txn();
  }

  @Override
  public CellPage next(int maxBytes) {
    lock.lock();
    try {
      if (closed) {
        throw new NotFoundException("scan of replica " + partition.name() + " is closed");
      }
      if (pages.isFinished()) {
        return new CellPage(txn(), Optional.empty(), false);
      }
      Scan held = open;
      CellPage page;
      if (held != null && held.isCurrent()) {
        page = pages.fill(held, maxBytes, false);
      } else {
        letGo();
        Scan cells = partition.open(predicate, snapshot);
        open = cells;
        page = pages.fill(cells, maxBytes, true);
      }
      if (!page.more()) {
        letGo();
      }
      return page;
    } finally {
      lock.unlock();
    }
  }

  private void letGo() {
    Scan held = open;
    if (held != null) {
      open = null;
      held.close();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      letGo();
      snapshot.close();
    } finally {
      lock.unlock();
    }
    partition.ended(this);
  }
}
