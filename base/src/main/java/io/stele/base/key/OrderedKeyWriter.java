package io.stele.base.key;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.nio.charset.StandardCharsets;

/**
 * Puts fields together to a key such that unsigned byte order of keys is the order of their fields,
 * first field first. Keys compare this way if they have the same kinds of field in the same places.
 *
 * <pre>{@code
 * Bytes key = new OrderedKeyWriter().putString("users").putBytes(row).putSigned(-3).toBytes();
 * }</pre>
 *
 * <p>The fields stand behind each other without marks of their kind:
 *
 * <pre>
 * bytes                its bytes, each 00 as 00 FF; then 00 01
 * string               its UTF-8 as bytes: the order is that of code points
 * unsigned             8, big-endian
 * signed               8, big-endian, the sign bit flipped
 * ... descending       the same, all bits flipped
 * byte                 1, unsigned
 * </pre>
 *
 * <p>Behind a byte string, {@code 00 01} is lower than an escaped zero and than every other byte: a
 * string sorts before all that it is a prefix of, whatever field follows it.
 */
public final class OrderedKeyWriter {
  static final int ESCAPE = 0x00;
  static final int ESCAPED_ZERO = 0xff;
  static final int END = 0x01;

  private final ByteBuilder key;

  public OrderedKeyWriter() {
    this(new ByteBuilder(64));
  }

  /** Appends to what {@code target} holds. */
  public OrderedKeyWriter(ByteBuilder target) {
    this.key = target;
  }

  public OrderedKeyWriter putBytes(Bytes value) {
    int start = key.length();
    key.put(value);
    return escape(start);
  }

  public OrderedKeyWriter putBytes(byte[] array, int offset, int length) {
    int start = key.length();
    key.put(array, offset, length);
    return escape(start);
  }

  /**
   * Puts the UTF-8 of a text.
   *
   * @throws InvalidRequestException if the text has half a surrogate pair, which UTF-8 cannot say
   */
  public OrderedKeyWriter putString(String value) {
    for (int i = 0; i < value.length(); i++) {
      if (Character.isSurrogate(value.charAt(i))) {
        if (Character.charCount(value.codePointAt(i)) == 1) {
          throw new InvalidRequestException(
              "key text \"" + value + "\": unpaired surrogate at character " + i);
        }
        i++;
      }
    }
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    return putBytes(utf8, 0, utf8.length);
  }

  public OrderedKeyWriter putByte(int value) {
    if (value < 0 || value > 0xff) {
      throw new IllegalArgumentException("key byte of " + value + ", must be 0 to 255");
    }
    key.putByte(value);
    return this;
  }

  public OrderedKeyWriter putUnsigned(long value) {
    int at = key.reserve(8);
    Binary.putLongBigEndian(key.array(), at, value);
    key.setLength(at + 8);
    return this;
  }

  public OrderedKeyWriter putUnsignedDescending(long value) {
    return putUnsigned(~value);
  }

  public OrderedKeyWriter putSigned(long value) {
    return putUnsigned(value ^ Long.MIN_VALUE);
  }

  public OrderedKeyWriter putSignedDescending(long value) {
    return putUnsigned(~(value ^ Long.MIN_VALUE));
  }

  public Bytes toBytes() {
    return key.toBytes();
  }

  /** Escapes the bytes appended since {@code start} in place, from the last one, and ends them. */
  private OrderedKeyWriter escape(int start) {
    int from = key.length();
    int to = from + zeros(start);
    key.reserve(to - from);
    key.setLength(to);
    byte[] bytes = key.array();
    while (to > from) { // bytes before the first zero stay where they are
      byte value = bytes[--from];
      if (value == ESCAPE) {
        bytes[--to] = (byte) ESCAPED_ZERO;
      }
      bytes[--to] = value;
    }
    key.putByte(ESCAPE).putByte(END);
    return this;
  }

  private int zeros(int start) {
    byte[] bytes = key.array();
    int zeros = 0;
    for (int i = start; i < key.length(); i++) {
      if (bytes[i] == ESCAPE) {
        zeros++;
      }
    }
    return zeros;
  }
}
