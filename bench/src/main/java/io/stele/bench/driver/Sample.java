package io.stele.bench.driver;

import java.util.Locale;

/**
 * What one run of some operations gave. A driver answers a request with one, on one line:
 *
 * <pre>
 *   ok RUNS SECONDS P50-MICROS P99-MICROS
 *   error WHAT WENT WRONG
 * </pre>
 *
 * @param runs of the operation, by all threads together
 * @param seconds on the wall, from the common start to the end of the last thread
 * @param p50Micros the median of those operations that were timed one by one
 * @param p99Micros likewise, exceeded by one in a hundred
 */
public record Sample(long runs, double seconds, double p50Micros, double p99Micros) {
  public Sample {
    if (runs < 0 || !(seconds >= 0)) {
      throw new IllegalArgumentException(
          "a sample of " + runs + " runs in " + seconds + " s: neither may be below 0");
    }
  }

  /** One operation that took so long. */
  public static Sample once(double seconds) {
    return new Sample(1, seconds, seconds * 1e6, seconds * 1e6);
  }

  public double perSecond() {
    return runs / seconds;
  }

  public double millis() {
    return seconds * 1e3;
  }

  public String line() {
    return String.format(Locale.ROOT, "ok %d %.9f %.3f %.3f", runs, seconds, p50Micros, p99Micros);
  }

  static String errorLine(Throwable problem) {
    return "error " + String.valueOf(problem).replaceAll("\\s+", " ").strip();
  }

  /** Reads a line; throws the error that it names. */
  public static Sample parse(String line) {
    if (line.startsWith("error ")) {
      throw new IllegalStateException(line.substring("error ".length()));
    }
    String[] words = line.split(" ", -1);
    try {
      if (words.length == 5 && words[0].equals("ok")) {
        return new Sample(
            Long.parseLong(words[1]),
            Double.parseDouble(words[2]),
            Double.parseDouble(words[3]),
            Double.parseDouble(words[4]));
      }
    } catch (NumberFormatException e) {
      throw new IllegalStateException(unreadable(line), e);
    }
    throw new IllegalStateException(unreadable(line));
  }

  private static String unreadable(String line) {
    return "the driver answered '" + line + "': must be 'ok' with four numbers, or 'error'";
  }
}
