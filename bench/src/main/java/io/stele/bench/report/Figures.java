package io.stele.bench.report;

import java.util.Locale;

/** Figures as people read them: all digits that mean something, and no more. */
public final class Figures {
  private Figures() {}

  public static String text(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  public static String text(double figure) {
    double size = Math.abs(figure);
    String format = size >= 1000 ? "%,.0f" : size >= 100 ? "%.1f" : size >= 10 ? "%.2f" : "%.3f";
    return String.format(Locale.ROOT, format, figure);
  }

  /** For programs: rounded likewise, a whole number where the fraction means nothing. */
  static Number number(double figure) {
    if (Math.abs(figure) >= 1000) {
      return Math.round(figure);
    }
    return Math.round(figure * 1000) / 1000.0;
  }
}
