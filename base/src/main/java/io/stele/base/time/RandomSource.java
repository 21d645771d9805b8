package io.stele.base.time;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Where chance comes from: components take a {@link RandomGenerator}, a running server hands them
 * {@link #system}, a test hands them {@link #seeded} and can play a run again.
 */
public final class RandomSource {
  private static final RandomGenerator SYSTEM = new SecureRandom();

  private RandomSource() {}

  /** Numbers nobody can predict, such as file ids; any number of threads may share it. */
  public static RandomGenerator system() {
    return SYSTEM;
  }

  /** The same numbers for the same seed, on every machine; one thread at a time. */
  public static RandomGenerator seeded(long seed) {
    return new SplittableRandom(seed);
  }
}
