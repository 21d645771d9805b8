package io.stele.gateway.bigtable.filter;

import com.google.bigtable.v2.ColumnRange;
import com.google.bigtable.v2.ValueRange;
import com.google.protobuf.ByteString;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Ranges of byte strings as messages have them, all as half-open ones. */
final class ByteRanges {
  private ByteRanges() {}

  /**
   * A half-open range.
   *
   * @param to null for no end
   */
  record Range(Bytes from, @Nullable Bytes to) {
    boolean contains(byte[] array, int offset, int length) {
      return from.compareTo(array, offset, length) <= 0
          && (to == null || to.compareTo(array, offset, length) > 0);
    }

    boolean isEmpty() {
      return to != null && from.compareTo(to) >= 0;
    }
  }

  static Range of(ColumnRange range) {
    Bytes from =
        switch (range.getStartQualifierCase()) {
          case START_QUALIFIER_CLOSED -> bytes(range.getStartQualifierClosed());
          case START_QUALIFIER_OPEN -> bytes(range.getStartQualifierOpen()).successor();
          case STARTQUALIFIER_NOT_SET -> Bytes.EMPTY;
        };
    Bytes to =
        switch (range.getEndQualifierCase()) {
          case END_QUALIFIER_CLOSED -> bytes(range.getEndQualifierClosed()).successor();
          case END_QUALIFIER_OPEN -> bytes(range.getEndQualifierOpen());
          case ENDQUALIFIER_NOT_SET -> null;
        };
    return new Range(from, to);
  }

  static Range of(ValueRange range) {
    Bytes from =
        switch (range.getStartValueCase()) {
          case START_VALUE_CLOSED -> bytes(range.getStartValueClosed());
          case START_VALUE_OPEN -> bytes(range.getStartValueOpen()).successor();
          case STARTVALUE_NOT_SET -> Bytes.EMPTY;
        };
    Bytes to =
        switch (range.getEndValueCase()) {
          case END_VALUE_CLOSED -> bytes(range.getEndValueClosed()).successor();
          case END_VALUE_OPEN -> bytes(range.getEndValueOpen());
          case ENDVALUE_NOT_SET -> null;
        };
    return new Range(from, to);
  }

  static byte[] family(String name) {
    if (name.isEmpty()) {
      throw new InvalidRequestException("column_range_filter without family_name: must have one");
    }
    return Bytes.utf8(name).sharedArray();
  }

  private static Bytes bytes(ByteString value) {
    return Bytes.wrap(value.toByteArray());
  }

  static boolean equal(byte[] wanted, byte[] array, int offset, int length) {
    return wanted.length == length
        && Arrays.equals(wanted, 0, length, array, offset, offset + length);
  }
}
