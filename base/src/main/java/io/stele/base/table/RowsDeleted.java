package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import java.util.Optional;

/**
 * How far a deletion of a range of rows has come.
 *
 * @param count rows that were there, and are no more
 * @param next the row from which on it was not done, because its tablet left; none if all was done
 */
public record RowsDeleted(long count, Optional<Bytes> next) {
  /** The whole range. */
  public static RowsDeleted all(long count) {
    return new RowsDeleted(count, Optional.empty());
  }
}
