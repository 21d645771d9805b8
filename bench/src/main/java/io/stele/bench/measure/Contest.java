package io.stele.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * Entrants that take turns: each runs once in every round, so that whatever changes on the machine
 * meets all of them, and the median of its rounds is an entrant's figure.
 */
public final class Contest {
  /** One run of an entrant, set up and torn down by itself; the clock runs only in its phase. */
  public interface Attempt {
    Sample run() throws Exception;
  }

  /**
   * Who takes part.
   *
   * @param name for the progress lines
   * @param warmUp run once before the first round and forgotten
   */
  public record Entrant(String name, Attempt warmUp, Attempt attempt) {}

  /**
   * The medians of an entrant's samples.
   *
   * @param othersShare the most that other processes used in any of them
   */
  public record Summary(
      double figure, double p50Micros, double p99Micros, OptionalDouble othersShare) {

    static Summary of(List<Sample> samples, ToDoubleFunction<Sample> figure) {
      return new Summary(
          median(samples, figure),
          median(samples, Sample::p50Micros),
          median(samples, Sample::p99Micros),
          samples.stream()
              .map(Sample::othersShare)
              .filter(OptionalDouble::isPresent)
              .mapToDouble(OptionalDouble::getAsDouble)
              .max());
    }

    private static double median(List<Sample> samples, ToDoubleFunction<Sample> figure) {
      return Median.of(samples.stream().mapToDouble(figure).toArray());
    }
  }

  private final String title;
  private final String unit;
  private final ToDoubleFunction<Sample> figure;
  private final Progress progress;

  /** A contest in the figure that is taken from each sample, such as its rate. */
  public Contest(String title, String unit, ToDoubleFunction<Sample> figure, Progress progress) {
    this.title = title;
    this.unit = unit;
    this.figure = figure;
    this.progress = progress;
  }

  /** Runs all rounds; the summaries are in the order of the entrants. */
  public List<Summary> run(int rounds, List<Entrant> entrants) throws Exception {
    List<List<Sample>> samples = new ArrayList<>();
    for (Entrant entrant : entrants) {
      entrant.warmUp().run();
      samples.add(new ArrayList<>());
    }
    System.gc(); // what was there before is collected now, and not in the middle of somebody's turn
    for (int round = 1; round <= rounds; round++) {
      for (int i = 0; i < entrants.size(); i++) {
        Sample sample = entrants.get(i).attempt().run();
        samples.get(i).add(sample);
        progress.line(
            String.format(
                Locale.ROOT,
                "%-22s %d/%d  %-34s %,14.1f %s",
                title,
                round,
                rounds,
                entrants.get(i).name(),
                figure.applyAsDouble(sample),
                unit));
      }
    }
    return samples.stream().map(all -> Summary.of(all, figure)).toList();
  }
}
