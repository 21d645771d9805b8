package io.stele.base.bytes;

import java.util.Arrays;

/**
 * A byte array that grows at its end. The array is shared with the owner: nothing is copied out.
 */
public final class ByteBuilder {
  private byte[] array;
  private int length;

  public ByteBuilder(int capacity) {
    array = new byte[Math.max(capacity, 16)];
  }

  /** The bytes so far, at offsets below {@link #length}; replaced when the builder grows. */
  public byte[] array() {
    return array;
  }

  public int length() {
    return length;
  }

  public void clear() {
    length = 0;
  }

  /** Cuts back, or claims bytes that were written to {@link #array} after {@link #reserve}. */
  public void setLength(int newLength) {
    length = newLength;
  }

  /** Makes room for {@code more} bytes and returns the offset at which they go. */
  public int reserve(int more) {
    if (array.length - length < more) {
      long wanted = Math.max((long) length + more, Math.min(array.length * 2L, (1L << 31) - 9));
      if (wanted > Integer.MAX_VALUE - 8) {
        throw new IllegalStateException(
            "byte builder of " + length + " bytes cannot grow by " + more + ": limit is 2 GiB");
      }
      array = Arrays.copyOf(array, (int) wanted);
    }
    return length;
  }

  public ByteBuilder putByte(int value) {
    reserve(1);
    array[length++] = (byte) value;
    return this;
  }

  public ByteBuilder putInt(int value) {
    reserve(4);
    Binary.putInt(array, length, value);
    length += 4;
    return this;
  }

  public ByteBuilder putLong(long value) {
    reserve(8);
    Binary.putLong(array, length, value);
    length += 8;
    return this;
  }

  public ByteBuilder putVarint(long value) {
    reserve(Binary.MAX_VARINT);
    length = Binary.putVarint(array, length, value);
    return this;
  }

  public ByteBuilder put(byte[] source, int offset, int count) {
    reserve(count);
    System.arraycopy(source, offset, array, length, count);
    length += count;
    return this;
  }

  public ByteBuilder put(Bytes source) {
    reserve(source.length());
    source.copyTo(array, length);
    length += source.length();
    return this;
  }

  /** A varint length, then the bytes. */
  public ByteBuilder putSized(Bytes source) {
    return putVarint(source.length()).put(source);
  }

  public byte[] toArray() {
    return Arrays.copyOf(array, length);
  }

  public Bytes toBytes() {
    return Bytes.wrap(toArray());
  }
}
