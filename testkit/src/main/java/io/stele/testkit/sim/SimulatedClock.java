package io.stele.testkit.sim;

import io.stele.base.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The clock of one simulated machine. Time passes by itself as it does for the test, so that
 * whoever waits is woken, and in leaps as a schedule lets it: the leaps are long, so that leases
 * and time-outs depend on the schedule and not on how busy the machine of the test is.
 *
 * <p>A machine that is suspended has a monotonic clock that does not leap, and a wall clock that
 * does. One that drifts leaps too far or not far enough. Any number of threads.
 */
public final class SimulatedClock implements Clock {
  private final Clock real;
  private final long startMicros;
  private final long startNanos;
  private long leaptMicros; // guarded by this, as all below
  private long leaptNanos;
  private double rate = 1;
  private boolean suspended;

  /** Starts at a wall-clock time that is the test's own, plus an error. */
  public SimulatedClock(Clock real, Duration error) {
    this.real = real;
    this.startMicros = micros(error);
    this.startNanos = real.nanos();
  }

  @Override
  public synchronized long micros() {
    return real.micros() + startMicros + leaptMicros;
  }

  @Override
  public synchronized long nanos() {
    return real.nanos() - startNanos + leaptNanos;
  }

  /** Lets time pass, as this machine measures it. */
  public synchronized void advance(Duration time) {
    long measured = (long) (time.toNanos() * rate);
    if (!suspended) {
      leaptNanos += measured;
    }
    leaptMicros += TimeUnit.NANOSECONDS.toMicros(measured);
  }

  /** Sets the wall clock forwards or back. */
  public synchronized void jump(Duration by) {
    leaptMicros += micros(by);
  }

  /** Makes it run so much faster than others; below 1 for slower. */
  public synchronized void drift(double times) {
    rate = times;
  }

  /** Stops the monotonic clock, or lets it go on where it stopped. */
  public synchronized void suspend(boolean on) {
    suspended = on;
  }

  private static long micros(Duration time) {
    return TimeUnit.NANOSECONDS.toMicros(time.toNanos());
  }
}
