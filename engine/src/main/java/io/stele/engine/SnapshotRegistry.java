package io.stele.engine;

import io.stele.engine.merge.SnapshotSet;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** The read transactions that are open, so that flushes and compactions keep what they see. */
final class SnapshotRegistry {
  private final Runnable closed;
  private final TreeMap<Long, Integer> open = new TreeMap<>(); // txn -> how often; guarded by this

  /**
   * Starts without any.
   *
   * @param closed told of each end
   */
  SnapshotRegistry(Runnable closed) {
    this.closed = closed;
  }

  /**
   * Registers the transaction that the supplier gives, in one step: a rewrite either knows of it,
   * or started earlier and only has inputs that are not above it.
   */
  synchronized long open(LongSupplier readTxn) {
    long txn = readTxn.getAsLong();
    open.merge(txn, 1, Integer::sum);
    return txn;
  }

  /** Registers a transaction once more; false if it is not open. */
  synchronized boolean reopen(long txn) {
    return open.computeIfPresent(txn, (_, count) -> count + 1) != null;
  }

  void close(long txn) {
    synchronized (this) {
      open.computeIfPresent(txn, (_, count) -> count == 1 ? null : count - 1);
    }
    closed.run();
  }

  synchronized SnapshotSet current() {
    return new SnapshotSet(open.keySet().stream().mapToLong(Long::longValue).toArray());
  }
}
