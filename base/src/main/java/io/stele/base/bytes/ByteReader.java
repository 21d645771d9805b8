package io.stele.base.bytes;

import java.util.Objects;

/**
 * Reads numbers and byte strings from a slice that may hold anything. Whatever the bytes are, it
 * stays inside the slice and fails only with {@link Malformed}, which its caller turns into the
 * error that fits: a bad request, or corrupt data in a named file.
 */
public final class ByteReader {
  /** The slice does not hold what was asked for. */
  public static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    private final int offset;
    private final String problem;

    public Malformed(int offset, String problem) {
      super(problem + " at byte " + offset, null, false, false);
      this.offset = offset;
      this.problem = problem;
    }

    /** What is wrong there. */
    public String problem() {
      return problem;
    }

    /** Where in the slice, from its start. */
    public int offset() {
      return offset;
    }
  }

  private final byte[] array;
  private final int start;
  private final int end;
  private int at;

  public ByteReader(byte[] array, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, array.length);
    this.array = array;
    this.start = offset;
    this.end = offset + length;
    this.at = offset;
  }

  /** Offset in the array, not in the slice. */
  public int position() {
    return at;
  }

  public int remaining() {
    return end - at;
  }

  public int readByte() throws Malformed {
    need(1, "a byte");
    return array[at++] & 0xff;
  }

  public int readInt() throws Malformed {
    need(4, "a 4-byte number");
    at += 4;
    return Binary.getInt(array, at - 4);
  }

  public long readLong() throws Malformed {
    need(8, "an 8-byte number");
    at += 8;
    return Binary.getLong(array, at - 8);
  }

  public long readVarint() throws Malformed {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      need(1, "a varint");
      byte b = array[at++];
      if (shift == 63 && b > 1) {
        break;
      }
      value |= (b & 0x7fL) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new Malformed(at - start, "varint longer than 64 bits");
  }

  /** A varint that must lie in 0..max, such as a length. */
  public int readVarint(int max, String what) throws Malformed {
    int from = at;
    long value = readVarint();
    if (value < 0 || value > max) {
      throw new Malformed(
          from - start, what + " of " + Long.toUnsignedString(value) + ", at most " + max);
    }
    return (int) value;
  }

  /** Moves over {@code count} bytes and returns the array offset at which they start. */
  public int skip(int count, String what) throws Malformed {
    need(count, what);
    at += count;
    return at - count;
  }

  /** A varint length and that many bytes. */
  public Bytes readSized(String what) throws Malformed {
    int length = readVarint(Integer.MAX_VALUE, what + " length");
    return Bytes.copyOf(array, skip(length, what), length);
  }

  public Malformed malformed(String message) {
    return new Malformed(at - start, message);
  }

  private void need(int count, String what) throws Malformed {
    if (count < 0 || end - at < count) {
      throw new Malformed(at - start, what + " of " + count + " bytes but " + (end - at) + " left");
    }
  }
}
