package io.stele.base.metric;

import java.util.concurrent.atomic.LongAdder;

/**
 * How often something was done and how long it took: counts by upper bounds of time, which every
 * duration of Stele shares, so that they can be added up over servers and kinds.
 *
 * <p>Any number of threads may record; a snapshot taken meanwhile may have some of what is being
 * recorded. Invariant: the counts of a snapshot add up to its count.
 */
public final class Timings {
  private static final long[] BOUNDS = {
    10_000L, 25_000L, 50_000L, // 10 µs
    100_000L, 250_000L, 500_000L,
    1_000_000L, 2_500_000L, 5_000_000L, // 1 ms
    10_000_000L, 25_000_000L, 50_000_000L,
    100_000_000L, 250_000_000L, 500_000_000L,
    1_000_000_000L, 2_500_000_000L, 5_000_000_000L, // 1 s
    10_000_000_000L
  };

  private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1]; // the last: above all bounds
  private final LongAdder nanos = new LongAdder();

  public Timings() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** The number of buckets, the last of which has no bound. */
  public static int buckets() {
    return BOUNDS.length + 1;
  }

  /** The longest time that a bucket counts, in nanoseconds; of the last one there is none. */
  public static long bound(int bucket) {
    return bucket < BOUNDS.length ? BOUNDS[bucket] : Long.MAX_VALUE;
  }

  public void record(long duration) {
    int low = 0;
    int high = BOUNDS.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (duration > BOUNDS[middle]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    counts[low].increment();
    nanos.add(duration);
  }

  public Snapshot snapshot() {
    long[] now = new long[counts.length];
    for (int i = 0; i < now.length; i++) {
      now[i] = counts[i].sum();
    }
    return new Snapshot(now, nanos.sum());
  }

  /** The counts at one moment. */
  public static final class Snapshot {
    private final long[] counts;
    private final long nanos;

    private Snapshot(long[] counts, long nanos) {
      this.counts = counts;
      this.nanos = nanos;
    }

    /** How many took as long as a bucket says, and longer than the one before it. */
    public long count(int bucket) {
      return counts[bucket];
    }

    public long count() {
      long sum = 0;
      for (long count : counts) {
        sum += count;
      }
      return sum;
    }

    /** The sum of all durations, in nanoseconds. */
    public long nanos() {
      return nanos;
    }
  }
}
