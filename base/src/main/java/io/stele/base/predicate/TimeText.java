package io.stele.base.predicate;

import io.stele.base.error.InvalidRequestException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;

/** Timestamps, which are microseconds since 1970, as people write them. */
public final class TimeText {
  static final String FORM = "a time such as 1999-01-02T03:04:05Z, or @ and microseconds";

  private static final int NANOS_OF_MICRO = 1_000;

  // Outside of these a number is no time of day that anybody meant: small ones are made up by
  // hand, and years of five digits do not fit the form.
  private static final long FIRST_DATE = 100_000_000_000_000L; // in 1973
  private static final long END_OF_DATES = 253_402_300_800_000_000L; // the year 10000

  private TimeText() {}

  /** Reads {@code 1999-01-02T03:04:05.678Z}, an offset instead of the Z, or {@code @123}. */
  public static long parse(String text) {
    try {
      return text.startsWith("@") ? Long.parseLong(text.substring(1)) : micros(text);
    } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
      throw new InvalidRequestException("time '" + text + "': must be " + FORM, e);
    }
  }

  private static long micros(String text) {
    OffsetDateTime time = OffsetDateTime.parse(text);
    if (time.getNano() % NANOS_OF_MICRO != 0) {
      throw new InvalidRequestException(
          "time '" + text + "' is finer than a microsecond: must have at most 6 decimals");
    }
    return ChronoUnit.MICROS.between(Instant.EPOCH, time.toInstant());
  }

  /** Writes what {@link #parse} reads: as a date where it is likely to be one. */
  public static String print(long micros) {
    return micros < FIRST_DATE || micros >= END_OF_DATES
        ? "@" + micros
        : Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
  }
}
