package io.stele.replicas.metadata;

import java.util.random.RandomGenerator;

/** Names that are unique for ever, because nobody could guess them: 128 random bits. */
public final class RandomNames {
  private RandomNames() {}

  public static String next(RandomGenerator random) {
    return "%016x%016x".formatted(random.nextLong(), random.nextLong());
  }
}
