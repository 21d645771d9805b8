package io.stele.base.settings;

/**
 * A number of bytes as people write it: {@code 64KiB}. Units are powers of 1,024, so that nobody
 * has to guess; a size without a unit is refused for the same reason.
 */
public record ByteSize(long bytes) implements Comparable<ByteSize> {
  static final String FORM = "a size such as 64KiB (units B, KiB, MiB, GiB, TiB)";

  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  public ByteSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("size of " + bytes + " bytes, at least 0");
    }
  }

  public static ByteSize ofKiB(long count) {
    return new ByteSize(Math.multiplyExact(count, 1L << 10));
  }

  public static ByteSize ofMiB(long count) {
    return new ByteSize(Math.multiplyExact(count, 1L << 20));
  }

  public static ByteSize ofGiB(long count) {
    return new ByteSize(Math.multiplyExact(count, 1L << 30));
  }

  /**
   * Reads what {@link #toString} writes, in any unit.
   *
   * @throws IllegalArgumentException if the text is not a whole number and a unit
   */
  public static ByteSize parse(String text) {
    Quantity quantity = Quantity.parse(text, FORM);
    for (int i = 0; i < UNITS.length; i++) {
      if (UNITS[i].equals(quantity.unit())) {
        return new ByteSize(quantity.times(1L << (10 * i)));
      }
    }
    throw quantity.unknownUnit();
  }

  /** As an int, for what is held in one array. */
  public int toInt() {
    if (bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("size of " + this + ", at most 2147483647B");
    }
    return (int) bytes;
  }

  @Override
  public int compareTo(ByteSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /** In the largest unit that says it exactly. */
  @Override
  public String toString() {
    int unit = bytes == 0 ? 0 : Math.min(Long.numberOfTrailingZeros(bytes) / 10, UNITS.length - 1);
    return (bytes >> (10 * unit)) + UNITS[unit];
  }
}
