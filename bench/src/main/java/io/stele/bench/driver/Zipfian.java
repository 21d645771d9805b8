package io.stele.bench.driver;

import java.util.random.RandomGenerator;

/**
 * Ranks of which each is drawn the less often the higher it is: rank {@code i} in proportion to
 * {@code 1 / (i + 1) ^ 0.99}, by the method of Gray et al., "Quickly generating billion-record
 * synthetic databases" (1994). Owned by one thread.
 */
final class Zipfian {
  private static final double SKEW = 0.99;
  private static final double EXPONENT = 1 / (1 - SKEW);
  private static final double SECOND = Math.pow(0.5, SKEW);

  private long ranks;
  private double sum; // of the weights of all ranks
  private double eta;

  private Zipfian(long ranks, double sum) {
    this.ranks = ranks;
    this.sum = sum;
    eta = eta();
  }

  /** Takes time in proportion to the ranks: {@link #copy} is for the other threads. */
  static Zipfian of(long ranks) {
    if (ranks < 2) {
      throw new IllegalArgumentException(ranks + " ranks: must be 2 or more");
    }
    return new Zipfian(ranks, weights(0, ranks));
  }

  Zipfian copy() {
    return new Zipfian(ranks, sum);
  }

  long ranks() {
    return ranks;
  }

  /** Adds ranks, at the unpopular end; takes time in proportion to them. */
  void grow(long newRanks) {
    if (newRanks > ranks) {
      sum += weights(ranks, newRanks);
      ranks = newRanks;
      eta = eta();
    }
  }

  long next(RandomGenerator chance) {
    double part = chance.nextDouble();
    double reached = part * sum;
    if (reached < 1) {
      return 0;
    }
    if (reached < 1 + SECOND) {
      return 1;
    }
    long rank = (long) (ranks * Math.pow(eta * part - eta + 1, EXPONENT));
    return Math.min(rank, ranks - 1);
  }

  private static double weights(long from, long to) {
    double sum = 0;
    for (long rank = from; rank < to; rank++) {
      sum += 1 / Math.pow((double) (rank + 1), SKEW);
    }
    return sum;
  }

  private double eta() {
    return ranks == 2
        ? 0 // both ranks are drawn without it
        : (1 - Math.pow(2.0 / ranks, 1 - SKEW)) / (1 - (1 + SECOND) / sum);
  }
}
