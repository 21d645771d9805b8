package io.stele.base.table;

import io.stele.base.bytes.Bytes;

/**
 * One step of a read-modify-write. The result is written as a new version, and later steps of the
 * same request see it.
 */
public sealed interface RowRule {
  Bytes family();

  Bytes qualifier();

  /** Appends to the newest value; to nothing if there is none. */
  record Append(Bytes family, Bytes qualifier, Bytes value) implements RowRule {}

  /**
   * Adds to the newest value, read as a 64-bit big-endian integer; to 0 if there is none. A value
   * of another length is an error.
   */
  record Increment(Bytes family, Bytes qualifier, long amount) implements RowRule {}
}
