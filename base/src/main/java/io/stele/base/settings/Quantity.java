package io.stele.base.settings;

/** A whole number with a unit behind it, as {@code 5s} or {@code 64KiB}. */
record Quantity(String text, long number, String unit, String form) {
  static Quantity parse(String text, String form) {
    int digits = 0;
    while (digits < text.length() && isDigit(text.charAt(digits))) {
      digits++;
    }
    try {
      // No digits at all is also not a number.
      long number = Long.parseLong(text.substring(0, digits));
      return new Quantity(text, number, text.substring(digits).strip(), form);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("\"" + text + "\" is not " + form, e);
    }
  }

  long times(long unitSize) {
    try {
      return Math.multiplyExact(number, unitSize);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("\"" + text + "\" is too large", e);
    }
  }

  IllegalArgumentException unknownUnit() {
    return new IllegalArgumentException("\"" + text + "\" is not " + form);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
