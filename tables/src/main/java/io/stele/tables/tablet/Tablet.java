package io.stele.tables.tablet;

import java.util.concurrent.atomic.LongAdder;

/**
 * A tablet's identity on this server, from its load to its unload; what it is at the moment is in
 * its {@link TabletView}. A split leaves the upper half its identity, and makes another for the
 * lower.
 */
public final class Tablet {
  private final String table;
  private final LongAdder reads = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private volatile long usedNanos;
  private volatile long sinceTxn; // written under the commit lock

  public Tablet(String table) {
    this.table = table;
  }

  public String table() {
    return table;
  }

  /**
   * The newest transaction of this server when it came here. What it brought along may have any
   * transaction up to this one, so a reader at an older one would miss some or all of it.
   */
  public long sinceTxn() {
    return sinceTxn;
  }

  /** It, or a part of it, came at this transaction, or was made of one that did. */
  public void came(long txn) {
    sinceTxn = Math.max(sinceTxn, txn);
  }

  /** When it was last read, by the monotonic clock. */
  public long usedNanos() {
    return usedNanos;
  }

  public void use(long nanos) {
    usedNanos = nanos;
  }

  /** A request has read of it. */
  public void countRead() {
    reads.increment();
  }

  /** A request has written to it. */
  public void countWrite() {
    writes.increment();
  }

  /** Since it is here. */
  public long reads() {
    return reads.sum();
  }

  /** Since it is here. */
  public long writes() {
    return writes.sum();
  }
}
