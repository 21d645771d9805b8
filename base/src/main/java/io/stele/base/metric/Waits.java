package io.stele.base.metric;

import java.util.concurrent.atomic.LongAdder;

/** How often callers were made to wait, and for how long in all. */
public final class Waits {
  private final LongAdder count = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  public void record(long duration) {
    count.increment();
    nanos.add(duration);
  }

  public long count() {
    return count.sum();
  }

  /** The sum of all waits, in nanoseconds. */
  public long nanos() {
    return nanos.sum();
  }
}
