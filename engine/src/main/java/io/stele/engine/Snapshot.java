package io.stele.engine;

import io.stele.base.error.InvalidRequestException;

/**
 * A read transaction that stays readable, across flushes and compactions, until it is closed. Open
 * snapshots keep old versions from being dropped: close them.
 */
public final class Snapshot implements AutoCloseable {
  private final SnapshotRegistry registry;
  private final long txn;
  private boolean closed;

  Snapshot(SnapshotRegistry registry, long txn) {
    this.registry = registry;
    this.txn = txn;
  }

  /** The transaction to read at, for the store that it was opened on. */
  synchronized long readTxn(SnapshotRegistry reader) {
    if (reader != registry) {
      throw new InvalidRequestException("snapshot at transaction " + txn + " is of another store");
    }
    if (closed) {
      throw new InvalidRequestException("snapshot at transaction " + txn + " is closed");
    }
    return txn;
  }

  /** The newest transaction it sees. */
  public long txn() {
    return txn;
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      registry.close(txn);
    }
  }
}
