package io.stele.it.replicas;

import io.stele.base.time.Clock;
import java.time.Duration;

/** The longest time in which something did not happen that should happen all the time. */
final class LongestGap {
  private final Clock clock;
  private long last; // guarded by this, as all of it
  private long longest;

  /** Counts from now on. */
  LongestGap(Clock clock) {
    this.clock = clock;
    this.last = clock.nanos();
  }

  synchronized void happened() {
    long now = clock.nanos();
    longest = Math.max(longest, now - last);
    last = now;
  }

  /** Up to now, also if it has not happened since. */
  synchronized Duration longest() {
    return Duration.ofNanos(Math.max(longest, clock.nanos() - last));
  }
}
