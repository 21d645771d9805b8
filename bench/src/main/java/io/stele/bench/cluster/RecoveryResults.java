package io.stele.bench.cluster;

import io.stele.bench.cluster.RecoveryBench.Outcome;
import io.stele.bench.measure.Better;
import io.stele.bench.measure.Median;
import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * What outages come to. By size and peer:
 *
 * <pre>
 *   recovery-N-write, recovery-N-read           medians, beside the peer as it comes
 *   recovery-N-write-5s, recovery-N-read-5s     beside the peer at Stele's session time-out
 * </pre>
 *
 * and over all sizes, against the goals: {@code recovery-p99-…}, the slowest, and {@code
 * recovery-growth-…}, that of the largest size in units of that of the smallest.
 */
final class RecoveryResults {
  /** Seconds, with the default session time-out. */
  private static final double MOST_SECONDS = 10;

  private static final double MOST_GROWTH = 1.5;

  /** What is asked of an outage. */
  private record Measure(String name, ToDoubleFunction<Outage> seconds, String about) {}

  private static final List<Measure> MEASURES =
      List.of(
          new Measure("write", Outage::written, "kill -9 to the first write that was taken"),
          new Measure("read", Outage::readable, "kill -9 to reads of all tablets"));

  private final RecoverySetup setup;
  private final List<Integer> sizes;
  private final Outcome outcome;

  RecoveryResults(RecoverySetup setup, List<Integer> sizes, Outcome outcome) {
    this.setup = setup;
    this.sizes = sizes.stream().filter(size -> !outcome.of(setup.stele(), size).isEmpty()).toList();
    this.outcome = outcome;
  }

  List<Result> results() {
    List<Result> results = new ArrayList<>();
    for (int size : sizes) {
      for (Measure measure : MEASURES) {
        String name = RecoveryBench.caseName(size) + "-" + measure.name();
        results.add(beside(name, size, measure, setup.recommended()));
        results.add(
            beside(
                "%s-%ds".formatted(name, SteleCluster.SESSION.toSeconds()),
                size,
                measure,
                setup.alike()));
      }
    }
    for (Measure measure : MEASURES) {
      if (!sizes.isEmpty()) {
        results.add(slowest(measure));
      }
      if (sizes.size() > 1) {
        results.add(growth(measure));
      }
    }
    return results;
  }

  private Result beside(String name, int size, Measure measure, Rival rival) {
    List<Outage> ours = outcome.of(setup.stele(), size);
    List<Outage> theirs = of(rival, size);
    List<String> notes = new ArrayList<>();
    notes.add(measure.about());
    absence(rival, theirs).ifPresent(notes::add);
    notes.add(details(setup.stele().name(), ours, measure));
    if (!theirs.isEmpty()) {
      notes.add(details(rival.title(), theirs, measure));
    }
    return Result.withoutGoal(
        name,
        "s",
        Better.LOWER,
        percentile(seconds(ours, measure), 50),
        theirs.isEmpty() ? Optional.empty() : Optional.of(percentile(seconds(theirs, measure), 50)),
        peerName(rival, theirs),
        String.join("; ", notes));
  }

  private List<Outage> of(Rival rival, int size) {
    return switch (rival) {
      case Rival.Present(ClusterSide side) -> outcome.of(side, size);
      case Rival.Absent _ -> List.of();
    };
  }

  private static String peerName(Rival rival, List<Outage> theirs) {
    return theirs.isEmpty() ? rival.title() + " (absent)" : rival.title();
  }

  private static Optional<String> absence(Rival rival, List<Outage> theirs) {
    return switch (rival) {
      case Rival.Absent(String title, String reason) ->
          Optional.of("%s is absent: %s".formatted(title, reason));
      case Rival.Present(ClusterSide side) when theirs.isEmpty() ->
          Optional.of("%s is absent: no round of it was measured".formatted(side.title()));
      case Rival.Present _ -> Optional.empty();
    };
  }

  private static String details(String who, List<Outage> outages, Measure measure) {
    double[] seconds = seconds(outages, measure);
    return String.format(
        Locale.ROOT,
        "%s: p50 %.2f s, p99 %.2f s of %d, lost server detected after %.2f s, all tablets written"
            + " after %.2f s, all rows counted after %.2f s, %,d MB of logs",
        who,
        percentile(seconds, 50),
        percentile(seconds, 99),
        outages.size(),
        median(outages, Outage::detected),
        median(outages, Outage::allWritten),
        median(outages, Outage::counted),
        Math.round(median(outages, Outage::logBytes) / 1e6));
  }

  private Result slowest(Measure measure) {
    List<Outage> ours = new ArrayList<>();
    List<Outage> theirs = new ArrayList<>();
    for (int size : sizes) {
      ours.addAll(outcome.of(setup.stele(), size));
      theirs.addAll(of(setup.alike(), size));
    }
    return Result.bounded(
        "recovery-p99-" + measure.name(),
        "s",
        percentile(seconds(ours, measure), 99),
        theirs.isEmpty() ? Optional.empty() : Optional.of(percentile(seconds(theirs, measure), 99)),
        peerName(setup.alike(), theirs),
        MOST_SECONDS,
        "p99 of %s over all sizes, %d outages; must be below %.0f s with the default session"
                .formatted(measure.about(), ours.size(), MOST_SECONDS)
            + " time-out of %d s".formatted(SteleCluster.SESSION.toSeconds()));
  }

  private Result growth(Measure measure) {
    int smallest = sizes.stream().min(Integer::compare).orElseThrow();
    int largest = sizes.stream().max(Integer::compare).orElseThrow();
    List<Outage> theirs = of(setup.alike(), largest);
    boolean compared = !theirs.isEmpty() && !of(setup.alike(), smallest).isEmpty();
    double ours =
        median(outcome.of(setup.stele(), largest), measure.seconds())
            / median(outcome.of(setup.stele(), smallest), measure.seconds());
    return Result.growth(
        "recovery-growth-" + measure.name(),
        "times",
        ours,
        compared
            ? Optional.of(
                median(theirs, measure.seconds())
                    / median(of(setup.alike(), smallest), measure.seconds()))
            : Optional.empty(),
        peerName(setup.alike(), compared ? theirs : List.of()),
        MOST_GROWTH,
        "%s with %d MiB that were not flushed, in units of that with %d MiB"
            .formatted(measure.about(), largest, smallest));
  }

  private static double[] seconds(List<Outage> outages, Measure measure) {
    return outages.stream().mapToDouble(measure.seconds()).toArray();
  }

  private static double median(List<Outage> outages, ToDoubleFunction<Outage> figure) {
    return Median.of(outages.stream().mapToDouble(figure).toArray());
  }

  /** That which so many of a hundred do not exceed: of few figures, p99 is the largest. */
  static double percentile(double[] figures, int percent) {
    if (percent == 50) {
      return Median.of(figures);
    }
    double[] sorted = figures.clone();
    Arrays.sort(sorted);
    return sorted[Math.max(0, (int) Math.ceil(sorted.length * percent / 100.0) - 1)];
  }
}
