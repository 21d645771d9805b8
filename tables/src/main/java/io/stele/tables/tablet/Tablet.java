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

  public Tablet(String table) {
    this.table = table;
  }

  public String table() {
    return table;
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
