package io.stele.bench.driver;

/**
 * How long operations took, to within 1/64, by counting them in classes that double in width every
 * 64 classes. Owned by one thread until it is added to another.
 */
public final class Latencies {
  private static final int DETAIL_BITS = 6;
  private static final int DETAIL = 1 << DETAIL_BITS;

  private final long[] counts = new long[(Long.SIZE - DETAIL_BITS) * DETAIL];
  private long total;

  public void add(long nanos) {
    counts[indexOf(Math.max(0, nanos))]++;
    total++;
  }

  public void add(Latencies other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
    total += other.total;
  }

  public long total() {
    return total;
  }

  /** The nanoseconds that so many of a hundred did not exceed; 0 if there were none at all. */
  public long percentile(double percent) {
    long wanted = Math.max(1, (long) Math.ceil(total * percent / 100));
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= wanted) {
        return highest(i);
      }
    }
    return 0;
  }

  private static int indexOf(long nanos) {
    if (nanos < DETAIL) {
      return (int) nanos;
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos) - DETAIL_BITS;
    return (shift + 1) * DETAIL + (int) ((nanos >>> shift) - DETAIL);
  }

  private static long highest(int index) {
    if (index < DETAIL) {
      return index;
    }
    int shift = index / DETAIL - 1;
    long lowest = (long) (index % DETAIL + DETAIL) << shift;
    return lowest + (1L << shift) - 1;
  }
}
