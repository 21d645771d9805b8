package io.stele.bench.table;

import io.stele.bench.table.ycsb.Records;
import java.time.Duration;
import java.util.List;

/**
 * How much is measured, and how long.
 *
 * @param records in the table before the workloads
 * @param threads of the clients, one case each
 * @param rounds of every case; the median counts
 * @param phase how long a timed phase takes
 * @param warmUpTurns the most phases that a side warms up by each kind of request
 * @param unflushedBytes written since the last flush when the server is killed
 */
record Scale(
    long records,
    List<Integer> threads,
    int rounds,
    Duration phase,
    int warmUpTurns,
    long unflushedBytes) {
  static final long FEWEST_RECORDS = 100;
  static final long MOST_RECORDS = 1_000_000_000;
  static final int MOST_THREADS = 1_000;

  static final Scale FULL =
      new Scale(1_000_000, List.of(1, 16, 64), 3, Duration.ofSeconds(4), 8, 256L << 20);

  static final Scale QUICK = new Scale(20_000, List.of(16), 1, Duration.ofMillis(500), 4, 16 << 20);

  Scale {
    threads = List.copyOf(threads);
    if (records < FEWEST_RECORDS || threads.isEmpty() || rounds < 1 || !phase.isPositive()) {
      throw new IllegalArgumentException(
          "%d records, %s threads, %d rounds of %s: at least %d, 1, 1 and some time are needed"
              .formatted(records, threads, rounds, phase, FEWEST_RECORDS));
    }
  }

  Scale withRecords(long count) {
    return new Scale(count, threads, rounds, phase, warmUpTurns, unflushedBytes);
  }

  Scale withThreads(List<Integer> counts) {
    return new Scale(records, counts, rounds, phase, warmUpTurns, unflushedBytes);
  }

  Scale withRounds(int count) {
    return new Scale(records, threads, count, phase, warmUpTurns, unflushedBytes);
  }

  Scale withPhase(Duration length) {
    return new Scale(records, threads, rounds, length, warmUpTurns, unflushedBytes);
  }

  Scale withUnflushedBytes(long bytes) {
    return new Scale(records, threads, rounds, phase, warmUpTurns, bytes);
  }

  /** Servers compile and cache what they do often: not on the clock. */
  Duration warmUp() {
    return phase.dividedBy(2);
  }

  long unflushedRecords() {
    return Math.max(1, unflushedBytes / Records.BYTES);
  }

  /** Both sides at once: log, files and files that are merged, of fields with names and keys. */
  long neededDiskBytes() {
    return 2 * 4 * (records + (rounds + 1) * unflushedRecords()) * Records.BYTES + (4L << 30);
  }
}
