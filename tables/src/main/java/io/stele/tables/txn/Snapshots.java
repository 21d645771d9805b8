package io.stele.tables.txn;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.engine.merge.SnapshotSet;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * The read transactions that scans hold open, so that flushes and compactions keep what they see.
 */
public final class Snapshots {
  @GuardedBy("this")
  private final TreeMap<Long, Integer> open = new TreeMap<>(); // txn -> how often

  /**
   * Opens the transaction that the supplier gives, in one step: a rewrite either knows of it, or
   * started earlier and has nothing above it.
   */
  public synchronized long open(LongSupplier readTxn) {
    long txn = readTxn.getAsLong();
    open.merge(txn, 1, Integer::sum);
    return txn;
  }

  /** Opens a transaction that is open already; false if it is not. */
  public synchronized boolean reopen(long txn) {
    return open.computeIfPresent(txn, (_, count) -> count + 1) != null;
  }

  public synchronized void close(long txn) {
    open.computeIfPresent(txn, (_, count) -> count == 1 ? null : count - 1);
  }

  public synchronized SnapshotSet current() {
    return new SnapshotSet(open.keySet().stream().mapToLong(Long::longValue).toArray());
  }
}
