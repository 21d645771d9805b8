package io.stele.it.process;

import io.stele.base.time.Clock;
import java.time.Duration;

/** The longest time without an event that should happen all the time, such as a write. */
public final class LongestGap {
  private final Clock clock;
  private long last; // guarded by this, as all of it
  private long longest;

  /** Counts from now on. */
  public LongestGap(Clock clock) {
    this.clock = clock;
    this.last = clock.nanos();
  }

  public synchronized void happened() {
    long now = clock.nanos();
    longest = Math.max(longest, now - last);
    last = now;
  }

  /** Up to now. */
  public synchronized Duration longest() {
    return Duration.ofNanos(Math.max(longest, clock.nanos() - last));
  }
}
