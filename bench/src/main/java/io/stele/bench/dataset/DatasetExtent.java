package io.stele.bench.dataset;

import java.time.Duration;

/**
 * How much is measured, and how long.
 *
 * @param rounds of every case; the median counts
 * @param phase how long is looked up in a round
 * @param records of a version
 */
record DatasetExtent(int rounds, Duration phase, int records) {
  static final DatasetExtent FULL = new DatasetExtent(3, Duration.ofSeconds(4), 10_000_000);
  static final DatasetExtent QUICK = new DatasetExtent(1, Duration.ofSeconds(2), 300_000);

  static final int MOST_RECORDS = 1_000_000_000;

  /** Two forms of a version, each loaded and copied, and what the library has. */
  private static final int COPIES = 7;

  private static final int SWITCHES_IN_A_ROUND = 3;

  DatasetExtent withRounds(int count) {
    return new DatasetExtent(count, phase, records);
  }

  DatasetExtent withPhase(Duration length) {
    return new DatasetExtent(rounds, length, records);
  }

  DatasetExtent withRecords(int count) {
    return new DatasetExtent(rounds, phase, count);
  }

  /** How many versions take each other's place. */
  int switches() {
    return rounds * SWITCHES_IN_A_ROUND;
  }

  long neededDiskBytes() {
    return (long) COPIES * records * 2 * BenchRecords.BYTES;
  }
}
