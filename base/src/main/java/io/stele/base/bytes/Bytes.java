package io.stele.base.bytes;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An immutable byte string, ordered by unsigned bytes: row keys, families, qualifiers and values as
 * they cross interfaces. Hot loops work on slices of arrays instead.
 */
public final class Bytes implements Comparable<Bytes> {
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private final byte[] array; // never written after construction

  private Bytes(byte[] array) {
    this.array = array;
  }

  /** Copies the array. */
  public static Bytes of(byte... array) {
    return array.length == 0 ? EMPTY : new Bytes(array.clone());
  }

  public static Bytes copyOf(byte[] array, int offset, int length) {
    return length == 0 ? EMPTY : new Bytes(Arrays.copyOfRange(array, offset, offset + length));
  }

  public static Bytes utf8(String text) {
    return text.isEmpty() ? EMPTY : new Bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Takes the array over without copying: the caller must never touch it again. */
  public static Bytes wrap(byte[] array) {
    return new Bytes(array);
  }

  public int length() {
    return array.length;
  }

  public boolean isEmpty() {
    return array.length == 0;
  }

  public byte at(int index) {
    return array[index];
  }

  public byte[] toArray() {
    return array.clone();
  }

  /** The array itself, for hot loops that compare against it: never to be written to. */
  public byte[] sharedArray() {
    return array;
  }

  public void copyTo(byte[] target, int offset) {
    System.arraycopy(array, 0, target, offset, array.length);
  }

  public int compareTo(byte[] other, int offset, int length) {
    return Arrays.compareUnsigned(array, 0, array.length, other, offset, offset + length);
  }

  @Override
  public int compareTo(Bytes other) {
    return Arrays.compareUnsigned(array, other.array);
  }

  public boolean startsWith(Bytes prefix) {
    return array.length >= prefix.array.length
        && Arrays.equals(array, 0, prefix.array.length, prefix.array, 0, prefix.array.length);
  }

  public Bytes concat(Bytes other) {
    byte[] joined = Arrays.copyOf(array, array.length + other.array.length);
    System.arraycopy(other.array, 0, joined, array.length, other.array.length);
    return new Bytes(joined);
  }

  /** The smallest byte string above this one: itself with a zero byte behind it. */
  public Bytes successor() {
    return new Bytes(Arrays.copyOf(array, array.length + 1));
  }

  /**
   * The smallest byte string above all that start with this one, or null if there is none (this is
   * empty, or all 0xFF).
   */
  public @Nullable Bytes prefixEnd() {
    int keep = array.length;
    while (keep > 0 && array[keep - 1] == (byte) 0xff) {
      keep--;
    }
    if (keep == 0) {
      return null;
    }
    byte[] end = Arrays.copyOf(array, keep);
    end[keep - 1]++;
    return new Bytes(end);
  }

  public String toUtf8() {
    return new String(array, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Bytes that && Arrays.equals(array, that.array);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(array);
  }

  /** Printable ASCII as it is; every other byte, and the backslash, as {@code \xHH}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(array.length);
    for (byte b : array) {
      if (b >= ' ' && b < 0x7f && b != '\\') {
        text.append((char) b);
      } else {
        text.append("\\x")
            .append(Character.forDigit((b >> 4) & 0xf, 16))
            .append(Character.forDigit(b & 0xf, 16));
      }
    }
    return text.toString();
  }
}
