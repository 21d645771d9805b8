package io.stele.base.settings;

import java.time.Duration;

/** A {@link Duration} as people write it: {@code 5s}, {@code 250ms}, {@code 7d}. */
public final class DurationText {
  static final String FORM = "a time such as 5s (units ns, us, ms, s, m, h, d)";

  private static final String[] UNITS = {"d", "h", "m", "s", "ms", "us", "ns"};
  private static final long[] NANOS = {
    86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L, 1_000L, 1L
  };

  private DurationText() {}

  /**
   * Reads what {@link #format} writes, in any unit.
   *
   * @throws IllegalArgumentException if the text is not a whole number and a unit, or is longer
   *     than 292 years, which is as far as nanoseconds go
   */
  public static Duration parse(String text) {
    Quantity quantity = Quantity.parse(text, FORM);
    for (int i = 0; i < UNITS.length; i++) {
      if (UNITS[i].equals(quantity.unit())) {
        return Duration.ofNanos(quantity.times(NANOS[i]));
      }
    }
    throw quantity.unknownUnit();
  }

  /** In the largest unit that says it exactly. */
  public static String format(Duration duration) {
    long nanos = duration.toNanos();
    if (nanos == 0) {
      return "0s";
    }
    int unit = 0;
    while (nanos % NANOS[unit] != 0) {
      unit++;
    }
    return nanos / NANOS[unit] + UNITS[unit];
  }
}
