package io.stele.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a simulated schedule did, line by line, for whoever has to explain a failure. */
public final class Trace {
  private static final int MOST_LINES = 2_000;

  private final List<String> lines = new ArrayList<>(); // guarded by itself

  private final long start = System.nanoTime();

  public void add(String line) {
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    synchronized (lines) {
      if (lines.size() < MOST_LINES) {
        lines.add("%5d ms %s".formatted(millis, line));
      }
    }
  }

  @Override
  public String toString() {
    synchronized (lines) {
      return String.join("\n", lines);
    }
  }
}
