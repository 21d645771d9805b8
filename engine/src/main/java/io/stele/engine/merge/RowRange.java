package io.stele.engine.merge;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import org.jspecify.annotations.Nullable;

/**
 * A half-open range of rows.
 *
 * @param from the first row in it; empty for the very first
 * @param to the first row behind it; null for no end
 */
public record RowRange(Bytes from, @Nullable Bytes to) {
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

  public boolean contains(Bytes row) {
    return from.compareTo(row) <= 0 && (to == null || row.compareTo(to) < 0);
  }

  /** True if a row at or behind {@code from} is at or behind the end. */
  boolean endsBefore(byte[] row, int offset, int length) {
    return to != null && to.compareTo(row, offset, length) <= 0;
  }
}
