package io.stele.engine.merge;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import org.jspecify.annotations.Nullable;

/**
 * A half-open range of qualifiers of one family.
 *
 * @param from the first qualifier in it; empty for the very first
 * @param to the first qualifier behind it; null for the family's end
 */
public record ColumnRange(Bytes family, Bytes from, @Nullable Bytes to)
    implements Comparable<ColumnRange> {
  public ColumnRange {
    if (family.isEmpty()) {
      throw new InvalidRequestException("a column range without a family");
    }
    if (to != null && from.compareTo(to) > 0) {
      throw new InvalidRequestException(
          "column range of " + family + " from " + from + " to " + to + " is upside down");
    }
  }

  public static ColumnRange family(Bytes family) {
    return new ColumnRange(family, Bytes.EMPTY, null);
  }

  public static ColumnRange column(Bytes family, Bytes qualifier) {
    return new ColumnRange(family, qualifier, qualifier.successor());
  }

  @Override
  public int compareTo(ColumnRange other) {
    int byFamily = family.compareTo(other.family);
    return byFamily != 0 ? byFamily : from.compareTo(other.from);
  }
}
