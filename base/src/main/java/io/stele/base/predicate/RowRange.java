package io.stele.base.predicate;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A half-open range of rows.
 *
 * @param from the first row in it; empty for the very first
 * @param to the first row behind it; null for no end
 */
public record RowRange(Bytes from, @Nullable Bytes to) implements Comparable<RowRange> {
  public static final RowRange ALL = new RowRange(Bytes.EMPTY, null);

  public RowRange {
    if (to != null && from.compareTo(to) > 0) {
      throw new InvalidRequestException("row range from " + from + " to " + to + " is upside down");
    }
  }

  public static RowRange row(Bytes row) {
    return new RowRange(row, row.successor());
  }

  public static RowRange prefix(Bytes prefix) {
    return new RowRange(prefix, prefix.prefixEnd());
  }

  /** True if it is as {@link #row} makes it. */
  public boolean isOneRow() {
    return to != null && to.length() == from.length() + 1 && to.equals(from.successor());
  }

  public boolean contains(Bytes row) {
    return from.compareTo(row) <= 0 && (to == null || row.compareTo(to) < 0);
  }

  /** What both ranges have in common, unless that is nothing. */
  public Optional<RowRange> intersect(RowRange other) {
    Bytes first = from.compareTo(other.from) >= 0 ? from : other.from;
    Bytes end = to == null || (other.to != null && other.to.compareTo(to) < 0) ? other.to : to;
    return end != null && first.compareTo(end) >= 0
        ? Optional.empty()
        : Optional.of(new RowRange(first, end));
  }

  /**
   * The pieces that make up this range, the first rows of all but the first of which are given.
   *
   * @param rows ascending; those that do not lie inside the range are passed over
   */
  public List<RowRange> cutAt(List<Bytes> rows) {
    List<RowRange> pieces = new ArrayList<>();
    Bytes begin = from;
    for (Bytes row : rows) {
      if (contains(row) && row.compareTo(begin) > 0) {
        pieces.add(new RowRange(begin, row));
        begin = row;
      }
    }
    pieces.add(new RowRange(begin, to));
    return pieces;
  }

  /** True if a row at or behind {@code from} is at or behind the end. */
  public boolean endsBefore(byte[] row, int offset, int length) {
    return to != null && to.compareTo(row, offset, length) <= 0;
  }

  /** By where they begin. */
  @Override
  public int compareTo(RowRange other) {
    return from.compareTo(other.from);
  }
}
