package io.stele.gateway.bigtable.write;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.util.Locale;

/**
 * How a family adds up what is written to a cell. The value of such a cell is its state: a 64-bit
 * integer, big-endian.
 */
public enum Aggregate {
  SUM,
  MIN,
  MAX;

  /** The state after more has come: one input, or another state, which here are the same. */
  long add(long state, long more) {
    return switch (this) {
      case SUM -> Math.addExact(state, more);
      case MIN -> Math.min(state, more);
      case MAX -> Math.max(state, more);
    };
  }

  /** The state in a value. */
  long decode(Bytes value, String family) {
    if (value.length() != Long.BYTES) {
      throw new InvalidRequestException(
          "family \""
              + family
              + "\" holds a "
              + this
              + ", and a value of "
              + value.length()
              + " bytes is none: must be "
              + Long.BYTES);
    }
    return Binary.getLongBigEndian(value.sharedArray(), 0);
  }

  static Bytes encode(long state) {
    byte[] value = new byte[Long.BYTES];
    Binary.putLongBigEndian(value, 0, state);
    return Bytes.wrap(value);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
