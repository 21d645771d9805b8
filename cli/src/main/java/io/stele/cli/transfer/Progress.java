package io.stele.cli.transfer;

import io.stele.cli.Count;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Tells how far a transfer is: as a bar that is drawn over and over where somebody watches, as a
 * line now and then where not.
 */
final class Progress {
  private static final long NANOS = 1_000_000_000L;
  private static final long REDRAW = NANOS / 10;
  private static final long LINE = 5 * NANOS;
  private static final int BAR = 30;

  private final PrintWriter err;
  private final boolean bar;
  private final long total;
  private final LongSupplier nanos;
  private final long start;
  private long shown;
  private boolean drawn;

  /**
   * @param total bytes of the file; 0 if nobody knows
   * @param nanos the time
   */
  Progress(PrintWriter err, boolean bar, long total, LongSupplier nanos) {
    this.err = err;
    this.bar = bar;
    this.total = total;
    this.nanos = nanos;
    this.start = nanos.getAsLong();
    this.shown = start;
  }

  /** Called often; shows it when it is time to. */
  void update(long bytes, long rows) {
    long now = nanos.getAsLong();
    if (now - shown < (bar ? REDRAW : LINE)) {
      return;
    }
    shown = now;
    double seconds = (now - start) / (double) NANOS;
    String speed = String.format(Locale.ROOT, "%s, %,.0f/s", Count.of(rows, "row"), rows / seconds);
    String line = total > 0 ? part(bytes, seconds) + speed : speed;
    if (bar) {
      err.print("\r\u001b[K" + line); // back to the start, and clear the line
      drawn = true;
    } else {
      err.println(line);
    }
    err.flush();
  }

  private String part(long bytes, double seconds) {
    double done = Math.min(1, bytes / (double) total);
    String percent = String.format(Locale.ROOT, "%3.0f%%  ", 100 * done);
    if (!bar) {
      return percent;
    }
    int filled = (int) (BAR * done);
    Duration left = Duration.ofSeconds(done == 0 ? 0 : Math.round(seconds * (1 - done) / done));
    return "[%s%s] %s%d:%02d left  "
        .formatted(
            "#".repeat(filled),
            ".".repeat(BAR - filled),
            percent,
            left.toMinutes(),
            left.toSecondsPart());
  }

  /** Takes the bar away, before anything else is printed. */
  void clear() {
    if (drawn) {
      err.print("\r\u001b[K");
      err.flush();
      drawn = false;
    }
  }

  Duration elapsed() {
    return Duration.ofNanos(nanos.getAsLong() - start);
  }
}
