package io.stele.bench.replica;

import java.time.Duration;

/**
 * How much is measured, and how long.
 *
 * @param rounds of every case; the median counts
 * @param phase how long writers write in a round
 * @param warmUpTurns phases of writes before the first that counts
 * @param megabytes of the table that is split, and of which a replica is lost
 * @param cut how long a replica is away while others are written to
 */
record ReplicaExtent(int rounds, Duration phase, int warmUpTurns, int megabytes, Duration cut) {
  static final int MOST_MEGABYTES = 1 << 16;
  static final int LONGEST_CUT = 600;

  static final ReplicaExtent FULL =
      new ReplicaExtent(3, Duration.ofSeconds(4), 6, 1_000, Duration.ofSeconds(30));
  static final ReplicaExtent QUICK =
      new ReplicaExtent(1, Duration.ofMillis(500), 1, 20, Duration.ofSeconds(3));

  ReplicaExtent {
    if (rounds < 1 || !phase.isPositive() || warmUpTurns < 0 || megabytes < 1 || cut.isNegative()) {
      throw new IllegalArgumentException(
          "%d rounds with phases of %s, %d MB, away for %s: at least 1, some time and 1 are needed"
              .formatted(rounds, phase, megabytes, cut));
    }
  }

  ReplicaExtent withRounds(int count) {
    return new ReplicaExtent(count, phase, warmUpTurns, megabytes, cut);
  }

  ReplicaExtent withPhase(Duration length) {
    return new ReplicaExtent(rounds, length, warmUpTurns, megabytes, cut);
  }

  ReplicaExtent withMegabytes(int count) {
    return new ReplicaExtent(rounds, phase, warmUpTurns, count, cut);
  }

  ReplicaExtent withCut(Duration length) {
    return new ReplicaExtent(rounds, phase, warmUpTurns, megabytes, length);
  }

  /** Records of the table that is split. */
  long records() {
    return megabytes * 1_000_000L / Rows.LARGE_VALUE;
  }

  /** Logs, files and what is merged of a table and of its halves, on each replica and a spare. */
  long neededDiskBytes() {
    return 20L * megabytes * 1_000_000 + (4L << 30);
  }
}
