package io.stele.base.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Numbers in byte arrays. Fixed-width numbers are little-endian, except the big-endian long that
 * makes byte order number order. A varint is seven bits a byte, lowest first, the high bit set on
 * all but the last byte.
 */
public final class Binary {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG_BIG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** The most bytes a varint of a long can take. */
  public static final int MAX_VARINT = 10;

  private Binary() {}

  public static int getInt(byte[] array, int offset) {
    return (int) INT.get(array, offset);
  }

  public static void putInt(byte[] array, int offset, int value) {
    INT.set(array, offset, value);
  }

  public static long getLong(byte[] array, int offset) {
    return (long) LONG.get(array, offset);
  }

  public static void putLong(byte[] array, int offset, long value) {
    LONG.set(array, offset, value);
  }

  public static long getLongBigEndian(byte[] array, int offset) {
    return (long) LONG_BIG.get(array, offset);
  }

  public static void putLongBigEndian(byte[] array, int offset, long value) {
    LONG_BIG.set(array, offset, value);
  }

  /** Writes a varint and returns the offset behind it. */
  public static int putVarint(byte[] array, int offset, long value) {
    long rest = value;
    int at = offset;
    while ((rest & ~0x7fL) != 0) {
      array[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    array[at++] = (byte) rest;
    return at;
  }

  /** The bytes that {@link #putVarint} writes for this value. */
  public static int varintLength(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** The first eight bytes of a slice as an unsigned big-endian number, zero-filled if shorter. */
  public static long prefix(byte[] array, int offset, int length) {
    if (length >= 8) {
      return getLongBigEndian(array, offset);
    }
    long prefix = 0;
    for (int i = 0; i < length; i++) {
      prefix |= (array[offset + i] & 0xffL) << (56 - 8 * i);
    }
    return prefix;
  }
}
