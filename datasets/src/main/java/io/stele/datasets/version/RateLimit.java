package io.stele.datasets.version;

import io.stele.base.time.Clock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** So many bytes in a second, for all that load together. Any number of threads. */
public final class RateLimit {
  private static final long LONGEST_NAP = 10_000_000L;

  private final Clock clock;
  private final long bytesPerSecond;
  private long free; // nanos when all that was taken so far is paid for

  /**
   * Makes a limit.
   *
   * @param bytesPerSecond 0 for none
   */
  public RateLimit(Clock clock, long bytesPerSecond) {
    this.clock = clock;
    this.bytesPerSecond = bytesPerSecond;
    this.free = clock.nanos();
  }

  /** Takes bytes that were read, and waits until that was right. */
  void take(long bytes, BooleanSupplier stopped) {
    if (bytesPerSecond == 0) {
      return;
    }
    long due = reserve(bytes);
    while (!stopped.getAsBoolean()) {
      long left = due - clock.nanos();
      if (left <= 0) {
        return;
      }
      LockSupport.parkNanos(Math.min(left, LONGEST_NAP));
    }
  }

  private synchronized long reserve(long bytes) {
    long now = clock.nanos();
    free = Math.max(free, now) + (long) (1e9 * bytes / bytesPerSecond);
    return free;
  }
}
