package io.stele.bench.cluster;

import java.time.Duration;

/**
 * How much of everything {@code stele bench scale} takes.
 *
 * @param tablets of the table that is spread and looked up
 * @param moves of a tablet that is written to
 * @param rounds of the master's take-over and of lookups
 * @param phase how long lookups are timed
 */
record ScaleExtent(int tablets, int moves, int rounds, Duration phase) {
  static final int FEWEST_TABLETS = 10;
  static final int MOST_TABLETS = 100_000;
  static final int MOST_MOVES = 10_000;

  static final ScaleExtent FULL = new ScaleExtent(1_000, 30, 3, Duration.ofSeconds(4));
  static final ScaleExtent QUICK = new ScaleExtent(100, 10, 1, Duration.ofMillis(500));

  ScaleExtent {
    if (tablets < FEWEST_TABLETS || moves < 1 || rounds < 1 || !phase.isPositive()) {
      throw new IllegalArgumentException(
          "%d tablets, %d moves, %d rounds of %s: at least %d, 1, 1 and some time are needed"
              .formatted(tablets, moves, rounds, phase, FEWEST_TABLETS));
    }
  }

  ScaleExtent withTablets(int count) {
    return new ScaleExtent(count, moves, rounds, phase);
  }

  ScaleExtent withMoves(int count) {
    return new ScaleExtent(tablets, count, rounds, phase);
  }

  ScaleExtent withRounds(int count) {
    return new ScaleExtent(tablets, moves, count, phase);
  }

  ScaleExtent withPhase(Duration length) {
    return new ScaleExtent(tablets, moves, rounds, length);
  }

  /** What a server that joins is to have of them at least, to be one of so many. */
  int share(int servers) {
    return tablets / servers * 9 / 10;
  }
}
