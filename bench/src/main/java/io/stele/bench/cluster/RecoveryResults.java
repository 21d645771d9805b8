package io.stele.bench.cluster;

import io.stele.bench.Peer;
import io.stele.bench.measure.Better;
import io.stele.bench.measure.Median;
import io.stele.bench.report.Notes;
import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

  private final ClusterSide stele;
  private final Peer<ClusterSide> asItComes;
  private final Peer<ClusterSide> alike;
  private final Map<String, Map<Integer, List<Outage>>> outages;

  /**
   * Results of outages.
   *
   * @param asItComes the peer at its own session time-out
   * @param alike the peer at Stele's
   * @param outages by the name of the side, then by size, in the order of rounds
   */
  RecoveryResults(
      ClusterSide stele,
      Peer<ClusterSide> asItComes,
      Peer<ClusterSide> alike,
      Map<String, Map<Integer, List<Outage>>> outages) {
    this.stele = stele;
    this.asItComes = asItComes;
    this.alike = alike;
    this.outages = outages;
  }

  /** Of the sizes, in MiB, that were measured of Stele. */
  List<Result> results(List<Integer> wanted) {
    List<Integer> sizes =
        wanted.stream().filter(size -> !of(stele.name(), size).isEmpty()).toList();
    List<Result> results = new ArrayList<>();
    for (int size : sizes) {
      for (Measure measure : MEASURES) {
        String name = RecoveryCommand.caseName(size) + "-" + measure.name();
        results.add(beside(name, size, measure, asItComes));
        results.add(
            beside("%s-%ds".formatted(name, stele.session().toSeconds()), size, measure, alike));
      }
    }
    for (Measure measure : MEASURES) {
      if (!sizes.isEmpty()) {
        results.add(slowest(measure, sizes));
      }
      if (sizes.size() > 1) {
        results.add(growth(measure, sizes));
      }
    }
    return results;
  }

  private Result beside(String name, int size, Measure measure, Peer<ClusterSide> rival) {
    List<Outage> ours = of(stele.name(), size);
    List<Outage> theirs = of(rival.name(), size);
    Notes notes = new Notes().add(measure.about()).add(absence(rival, theirs));
    notes.add(details(stele.name(), ours, measure));
    if (!theirs.isEmpty()) {
      notes.add(details(rival.title(), theirs, measure));
    }
    return Result.beside(
        name,
        "s",
        Better.LOWER,
        percentile(seconds(ours, measure), 50),
        theirs.isEmpty() ? Optional.empty() : Optional.of(percentile(seconds(theirs, measure), 50)),
        peerName(rival, theirs),
        null,
        notes.toString());
  }

  private List<Outage> of(String side, int size) {
    return outages.getOrDefault(side, Map.of()).getOrDefault(size, List.of());
  }

  private static String peerName(Peer<ClusterSide> rival, List<Outage> theirs) {
    return theirs.isEmpty() && rival instanceof Peer.Present
        ? rival.title() + " (absent)"
        : rival.title();
  }

  private static String absence(Peer<ClusterSide> rival, List<Outage> theirs) {
    return theirs.isEmpty() && rival instanceof Peer.Present
        ? rival.title() + " is absent: no round of it was measured"
        : rival.absence();
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

  private Result slowest(Measure measure, List<Integer> sizes) {
    List<Outage> ours = new ArrayList<>();
    List<Outage> theirs = new ArrayList<>();
    for (int size : sizes) {
      ours.addAll(of(stele.name(), size));
      theirs.addAll(of(alike.name(), size));
    }
    return Result.bounded(
        "recovery-p99-" + measure.name(),
        "s",
        percentile(seconds(ours, measure), 99),
        theirs.isEmpty() ? Optional.empty() : Optional.of(percentile(seconds(theirs, measure), 99)),
        peerName(alike, theirs),
        MOST_SECONDS,
        "p99 of %s over all sizes, %d outages; must be below %.0f s with the default session"
                .formatted(measure.about(), ours.size(), MOST_SECONDS)
            + " time-out of %d s".formatted(stele.session().toSeconds()));
  }

  private Result growth(Measure measure, List<Integer> sizes) {
    int smallest = sizes.stream().min(Integer::compare).orElseThrow();
    int largest = sizes.stream().max(Integer::compare).orElseThrow();
    List<Outage> theirs = of(alike.name(), largest);
    boolean compared = !theirs.isEmpty() && !of(alike.name(), smallest).isEmpty();
    double ours =
        median(of(stele.name(), largest), measure.seconds())
            / median(of(stele.name(), smallest), measure.seconds());
    return Result.growth(
        "recovery-growth-" + measure.name(),
        "times",
        ours,
        compared
            ? Optional.of(
                median(theirs, measure.seconds())
                    / median(of(alike.name(), smallest), measure.seconds()))
            : Optional.empty(),
        peerName(alike, compared ? theirs : List.of()),
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
