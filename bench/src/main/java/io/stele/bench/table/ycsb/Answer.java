package io.stele.bench.table.ycsb;

import java.util.Locale;

/**
 * What a driver answers to a request, on one line:
 *
 * <pre>
 *   ok RUNS SECONDS P50-MICROS P99-MICROS
 *   error WHAT WENT WRONG
 * </pre>
 *
 * @param runs of the operation that was asked for, by all threads together
 * @param seconds from the common start to the end of the last thread
 */
public record Answer(long runs, double seconds, double p50Micros, double p99Micros) {

  public String line() {
    return String.format(Locale.ROOT, "ok %d %.9f %.3f %.3f", runs, seconds, p50Micros, p99Micros);
  }

  static String errorLine(Throwable problem) {
    String text = String.valueOf(problem);
    return "error " + text.replaceAll("\\s+", " ").strip();
  }

  /** What a line says; the error that it names is thrown. */
  public static Answer parse(String line) {
    if (line.startsWith("error ")) {
      throw new IllegalStateException(line.substring("error ".length()));
    }
    String[] words = line.split(" ", -1);
    try {
      if (words.length == 5 && words[0].equals("ok")) {
        return new Answer(
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
