package io.stele.bench.measure;

import java.io.PrintWriter;
import java.util.Locale;

/** One line per phase for whoever waits, with the time since the start. */
public final class Progress {
  private final PrintWriter out;
  private final long startNanos = System.nanoTime();

  public Progress(PrintWriter out) {
    this.out = out;
  }

  public void line(String text) {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    out.printf(Locale.ROOT, "%7.1f s  %s%n", seconds, text);
    out.flush();
  }
}
