package io.stele.testkit.run;

import io.stele.base.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;

/**
 * The long tier of the tests, {@code mvn verify -Plong}: how long each of its suites may take, and
 * what came of it.
 *
 * <p>{@code -Dlong.minutes=30} is the budget of the whole tier. Suites take shares of it in
 * percent; the shares of all of them add up to 100. Each suite leaves one line of {@code
 * target/long-run.tsv} behind, which {@code tools/TestReport.java} prints at the end:
 *
 * <pre>
 *   suite TAB seed TAB seconds TAB operations TAB faults TAB violations TAB longest gap (ms)
 * </pre>
 */
public final class LongRun {
  /** The tag of its tests. */
  public static final String TAG = "long";

  private static final String MINUTES = "long.minutes";
  private static final int USUAL_MINUTES = 120;

  private LongRun() {}

  /** The time of a suite that has this share of the budget. */
  public static Duration share(int percent) {
    if (percent < 1 || percent > 100) {
      throw new IllegalArgumentException("a share of " + percent + " %: 1 to 100 are possible");
    }
    return Duration.ofMinutes(Integer.getInteger(MINUTES, USUAL_MINUTES))
        .multipliedBy(percent)
        .dividedBy(100);
  }

  /** One round of a suite that is repeated. */
  @FunctionalInterface
  public interface Round {
    /** Runs with a seed, and says how many operations that were. */
    long run(long seed) throws Exception;
  }

  /**
   * Runs rounds, each with a seed of its own, until the share is used up, and records them. A
   * failure names the seed of its round.
   */
  public static void repeat(Class<?> suite, int percent, Round round) throws Exception {
    long end = share(percent).toNanos();
    long first = Seed.varied(suite);
    long seed = first;
    long operations = 0;
    long violations = 1;
    Clock clock = Clock.system();
    long start = clock.nanos();
    try {
      do {
        operations += round.run(seed++);
      } while (clock.nanos() - start < end);
      violations = 0;
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(suite.getSimpleName() + ", round of seed " + --seed, e);
    } finally {
      record(
          new Outcome(
              suite.getSimpleName(),
              first,
              Duration.ofNanos(clock.nanos() - start),
              operations,
              0,
              violations,
              Duration.ZERO));
    }
  }

  /**
   * What a suite did.
   *
   * @param operations that had an answer
   * @param faults that were injected
   * @param violations of a promise; a suite that finds one also fails
   * @param longestGap without a successful write; zero where it is not measured
   */
  public record Outcome(
      String suite,
      long seed,
      Duration time,
      long operations,
      long faults,
      long violations,
      Duration longestGap) {

    String line() {
      return String.join(
          "\t",
          suite,
          Long.toString(seed),
          Long.toString(time.toSeconds()),
          Long.toString(operations),
          Long.toString(faults),
          Long.toString(violations),
          Long.toString(longestGap.toMillis()));
    }
  }

  /** Leaves the line of a suite behind, also if the suite is about to fail. */
  public static synchronized void record(Outcome outcome) {
    try {
      Path file = Path.of("target", "long-run.tsv");
      Files.createDirectories(file.getParent());
      Files.writeString(
          file, outcome.line() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    System.out.printf(
        Locale.ROOT,
        "%s: %d operations, %d faults, %d violations in %d s, seed %d%n",
        outcome.suite(),
        outcome.operations(),
        outcome.faults(),
        outcome.violations(),
        outcome.time().toSeconds(),
        outcome.seed());
  }
}
