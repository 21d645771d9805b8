package io.stele.bench.measure;

import java.util.OptionalDouble;

/**
 * What one phase gave.
 *
 * @param runs of the operation, by all threads together
 * @param seconds on the wall, from the common start to the end of the last thread
 * @param p50Micros the middle of those runs that were timed one by one
 * @param p99Micros likewise, exceeded by one in a hundred
 * @param othersShare of the machine's processors that other processes used meanwhile, 0 to 1;
 *     nothing where the system does not tell
 */
public record Sample(
    long runs, double seconds, double p50Micros, double p99Micros, OptionalDouble othersShare) {
  public Sample {
    if (runs < 1 || !(seconds > 0)) {
      throw new IllegalArgumentException(
          "a sample of " + runs + " runs in " + seconds + " s: both must be above 0");
    }
  }

  public double perSecond() {
    return runs / seconds;
  }

  public double millisPerRun() {
    return seconds * 1e3 / runs;
  }
}
