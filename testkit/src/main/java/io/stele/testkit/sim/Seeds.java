package io.stele.testkit.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** Runs a simulation with many seeds, some at a time: most of a run is waiting. */
public final class Seeds {
  /** Failures beyond these are counted, and the remaining seeds are not run. */
  private static final int MOST_FAILURES = 3;

  /** One run. */
  @FunctionalInterface
  public interface Run {
    /** Runs with a seed; answers how many operations that were. */
    long run(long seed) throws Exception;
  }

  /** A run that failed. */
  private record Failure(long seed, Throwable cause) {}

  private Seeds() {}

  /**
   * Runs seeds in ascending order.
   *
   * @param together how many at a time
   * @return how many operations there were
   * @throws AssertionError that names the seeds that failed, and why
   */
  public static long run(long first, int count, int together, Run run) {
    List<Failure> failures = new ArrayList<>(); // guarded by itself
    AtomicInteger next = new AtomicInteger();
    AtomicLong operations = new AtomicLong();
    try (ExecutorService threads = Executors.newFixedThreadPool(together)) {
      for (int i = 0; i < together; i++) {
        threads.execute(
            () -> {
              for (int at = next.getAndIncrement(); at < count; at = next.getAndIncrement()) {
                try {
                  operations.addAndGet(run.run(first + at));
                } catch (Exception | AssertionError e) {
                  synchronized (failures) {
                    failures.add(new Failure(first + at, e));
                    if (failures.size() >= MOST_FAILURES) {
                      next.set(count);
                    }
                  }
                }
              }
            });
      }
    }
    failures.sort(Comparator.comparingLong(Failure::seed));
    if (!failures.isEmpty()) {
      AssertionError all =
          new AssertionError(
              failures.stream()
                  .map(failure -> "seed " + failure.seed() + ": " + failure.cause())
                  .collect(Collectors.joining("\n\n")));
      failures.forEach(failure -> all.addSuppressed(failure.cause()));
      throw all;
    }
    return operations.get();
  }
}
