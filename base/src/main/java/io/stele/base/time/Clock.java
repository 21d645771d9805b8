package io.stele.base.time;

/** Time as a component sees it: handed in, so that a test can drive it. */
public interface Clock {
  /** Microseconds since 1970 UTC; may jump. For timestamps of cells and for people. */
  long micros();

  /** Nanoseconds from some start; never goes back. For leases, time-outs and measuring. */
  long nanos();

  /** The machine's own clock. */
  static Clock system() {
    return SystemClock.INSTANCE;
  }
}
