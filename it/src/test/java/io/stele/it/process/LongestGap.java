package io.stele.it.process;

import io.stele.base.time.Clock;
import java.time.Duration;

/** The longest time without an event that should happen all the time, such as a write. */
public final class LongestGap {
  private final Clock clock;
  private long last; // guarded by this, as all of it
  private long longest;
  private long longestOfLap;

  /** Counts from now on. */
  public LongestGap(Clock clock) {
    this.clock = clock;
    this.last = clock.nanos();
  }

  public synchronized void happened() {
    long now = clock.nanos();
    longest = Math.max(longest, now - last);
    longestOfLap = Math.max(longestOfLap, now - last);
    last = now;
  }

  /** Since the lap before, up to now; a gap that is still open counts for the next lap too. */
  synchronized Duration lap() {
    long lap = Math.max(longestOfLap, clock.nanos() - last);
    longestOfLap = 0;
    return Duration.ofNanos(lap);
  }

  /** Up to now. */
  public synchronized Duration longest() {
    return Duration.ofNanos(Math.max(longest, clock.nanos() - last));
  }
}
