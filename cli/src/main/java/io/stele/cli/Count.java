package io.stele.cli;

import java.util.Locale;

/** A number of things, as a message names it: {@code 1 row}, {@code 3,000 rows}. */
public final class Count {
  private Count() {}

  /**
   * The number and the noun.
   *
   * @param singular a noun whose plural adds an s
   */
  public static String of(long number, String singular) {
    return String.format(Locale.ROOT, number == 1 ? "%,d %s" : "%,d %ss", number, singular);
  }
}
