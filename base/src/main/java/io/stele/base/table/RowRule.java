package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.RequestMark;

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

  /**
   * Not a step: names the request, so that it is carried out once however often it is sent, and is
   * answered as the first time.
   */
  record Once(RequestMark mark) implements RowRule {
    @Override
    public Bytes family() {
      return RequestMark.FAMILY;
    }

    @Override
    public Bytes qualifier() {
      return mark.id();
    }
  }
}
