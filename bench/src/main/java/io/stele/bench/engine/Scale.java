package io.stele.bench.engine;

import io.stele.base.error.ExhaustedException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * How much is measured, and how long.
 *
 * @param records of each value size
 * @param openRecords in the store whose opening is timed
 * @param growthRecords at 1×; there are ten times as many at 10×
 * @param rounds of every case; the median counts
 * @param phase how long a timed phase takes
 */
record Scale(
    long records,
    List<Integer> valueSizes,
    long openRecords,
    long growthRecords,
    int rounds,
    Duration phase) {
  /** Of the store whose opening is timed. */
  static final int OPEN_VALUE_SIZE = 1024;

  static final int GROWTH_VALUE_SIZE = 100;

  /** How many times the first set of records each set of the growth case has. */
  static final List<Integer> GROWTH = List.of(1, 3, 10);

  static final Scale FULL =
      new Scale(2_000_000, List.of(100, 1024), 1_000_000, 400_000, 3, Duration.ofSeconds(4));

  static final Scale QUICK =
      new Scale(200_000, List.of(100, 1024), 100_000, 50_000, 1, Duration.ofMillis(600));

  Scale {
    valueSizes = List.copyOf(valueSizes);
    if (records < 1 || openRecords < 1 || growthRecords < 1 || rounds < 1) {
      throw new IllegalArgumentException(
          "a scale of %d, %d and %d records in %d rounds: each must be 1 or more"
              .formatted(records, openRecords, growthRecords, rounds));
    }
    if (valueSizes.isEmpty() || phase.isNegative() || phase.isZero()) {
      throw new IllegalArgumentException(
          "a scale of value sizes %s and phases of %s: one size and some time is needed"
              .formatted(valueSizes, phase));
    }
  }

  /** Other numbers of records everywhere; what has fewer of its own keeps them. */
  Scale withRecords(long count) {
    return new Scale(
        count,
        valueSizes,
        Math.min(openRecords, count),
        Math.min(growthRecords, Math.max(1, count / 5)),
        rounds,
        phase);
  }

  Scale withValueSizes(List<Integer> sizes) {
    return new Scale(records, sizes, openRecords, growthRecords, rounds, phase);
  }

  Scale withRounds(int count) {
    return new Scale(records, valueSizes, openRecords, growthRecords, count, phase);
  }

  Scale withPhase(Duration length) {
    return new Scale(records, valueSizes, openRecords, growthRecords, rounds, length);
  }

  Records records(int valueSize) {
    return new Records(valueSize, records);
  }

  Records openRecordsSet() {
    return new Records(OPEN_VALUE_SIZE, openRecords);
  }

  Records growthRecords(int times) {
    return new Records(GROWTH_VALUE_SIZE, growthRecords * times);
  }

  /** Keys and values of the most that is open at one time, on one side. */
  private long largestBytes() {
    long growth = GROWTH.stream().mapToLong(times -> growthRecords(times).bytes()).sum();
    long largest = Math.max(growth, openRecordsSet().bytes());
    for (int valueSize : valueSizes) {
      largest = Math.max(largest, records(valueSize).bytes());
    }
    return largest;
  }

  /** Two sides, one of them while it is compacted, and what the formats and the logs add. */
  long neededDiskBytes() {
    return 4 * largestBytes() + (64L << 20);
  }

  /** Stele's cache is in the heap, and so are its mem fragments. */
  long neededHeapBytes() {
    long data = largestBytes();
    long memory = EngineOptions.MEMORY_TABLES * EngineOptions.MEMORY_TABLE_BYTES * 3 / 2;
    return data * 3 / 2 + Math.min(memory, 3 * data) + (256L << 20);
  }

  void checkHeap(long heapBytes) {
    if (heapBytes < neededHeapBytes()) {
      throw new ExhaustedException(
          String.format(
              Locale.ROOT,
              "the JVM's heap of %,d MiB is too small, this run needs %,d MiB: set"
                  + " STELE_JAVA_OPTS=-Xmx%dm, or use fewer --records",
              heapBytes >> 20,
              neededHeapBytes() >> 20,
              (neededHeapBytes() * 5 / 4) >> 20));
    }
  }
}
