package io.stele.base.predicate;

import io.stele.base.error.InvalidRequestException;

/**
 * A half-open range of timestamps, in microseconds.
 *
 * @param from the first timestamp in it
 * @param to the first timestamp behind it; {@link Long#MAX_VALUE} for no end, as no cell has it
 */
public record TimeRange(long from, long to) implements Comparable<TimeRange> {
  public static final TimeRange ALL = new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE);

  public TimeRange {
    if (from >= to) {
      throw new InvalidRequestException(
          "time range [" + from + ", " + to + ") is empty: from must be below to");
    }
  }

  public boolean contains(long timestamp) {
    return from <= timestamp && timestamp < to;
  }

  @Override
  public int compareTo(TimeRange other) {
    int byFrom = Long.compare(from, other.from);
    return byFrom != 0 ? byFrom : Long.compare(to, other.to);
  }
}
