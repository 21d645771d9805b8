package io.stele.testkit;

import io.stele.base.time.Clock;
import java.time.Duration;

/**
 * A clock that stands still until a test moves it. Its two times move together, except when {@link
 * #setMicros} jumps the wall clock as an operator would. Any number of threads may use it.
 */
public final class ManualClock implements Clock {
  private long micros;
  private long nanos;

  /** Starts at 1,000,000 seconds past 1970, so that going back a little stays positive. */
  public ManualClock() {
    this(1_000_000_000_000L);
  }

  public ManualClock(long micros) {
    this.micros = micros;
  }

  @Override
  public synchronized long micros() {
    return micros;
  }

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  /** Lets time pass. */
  public synchronized void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(
          "cannot advance by " + time + ": the monotonic clock never goes back");
    }
    // By way of the monotonic clock, so that many steps below a microsecond add up.
    long before = nanos / 1_000;
    nanos += time.toNanos();
    micros += nanos / 1_000 - before;
  }

  /** Sets the wall clock, forwards or back; the monotonic clock does not notice. */
  public synchronized void setMicros(long newMicros) {
    micros = newMicros;
  }
}
