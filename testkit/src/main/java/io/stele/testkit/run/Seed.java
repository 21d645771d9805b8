package io.stele.testkit.run;

import io.stele.base.time.Clock;

/**
 * Where the chance of a random test starts. {@code mvn verify} uses the seed that stands in the
 * test, so that a build that passed passes again; {@code -Dseed=N} sets another one, and long runs
 * take a new one each time. The seed is printed in every case.
 */
public final class Seed {
  private static final String PROPERTY = "seed";

  private Seed() {}

  /**
   * The seed of this run.
   *
   * @param test names it on standard output
   * @param usual the one of {@code mvn verify}
   */
  public static long of(Class<?> test, long usual) {
    return printed(test, Long.getLong(PROPERTY, usual));
  }

  /** The seed of a long run: a new one each time, unless {@code -Dseed=N} sets it. */
  public static long varied(Class<?> test) {
    return printed(test, Long.getLong(PROPERTY, Clock.system().nanos()));
  }

  private static long printed(Class<?> test, long seed) {
    System.out.println(test.getSimpleName() + ": -Dseed=" + seed);
    return seed;
  }
}
