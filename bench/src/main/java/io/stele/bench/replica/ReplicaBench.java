package io.stele.bench.replica;

import io.stele.base.table.Consistency.Acks;
import io.stele.bench.measure.Better;
import io.stele.bench.measure.Median;
import io.stele.bench.replica.Trial.Timing;
import io.stele.bench.replica.WriteArena.Shown;
import io.stele.bench.report.Notes;
import io.stele.bench.report.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All cases of {@code stele bench replica}, and what they come to:
 *
 * <pre>
 *   write-LEVEL-N, write-tablet-N     acknowledged writes/s of N writers, beside the limit's
 *   converge, split, replace          seconds, beside those in which the limit writes as many bytes
 *   split-tablet, replace-tablet      likewise of a tablet table, which copies nothing
 * </pre>
 */
final class ReplicaBench {
  private static final List<Integer> WRITERS = List.of(1, 16, 64);

  /** Longer than any cut. */
  private static final Duration NEVER = Duration.ofHours(1);

  /** So that what is measured is the copying. */
  static final Duration DEAD_AFTER = Duration.ofSeconds(1);

  /** A case, by its name. */
  record Case(String name, String about) {}

  /** A case that gave no figures, and why. */
  record Failure(String name, Exception problem) {}

  private final ReplicaSetup setup;
  private final Consumer<Result> results;
  private final List<Failure> failures = new ArrayList<>();

  /** Each result is handed over as soon as it is known. */
  ReplicaBench(ReplicaSetup setup, Consumer<Result> results) {
    this.setup = setup;
    this.results = results;
  }

  static List<Case> cases() {
    Stream<Case> writes =
        WRITERS.stream()
            .map(
                writers ->
                    new Case(
                        writeName(writers),
                        "writes of %d-byte values by %d writers, acknowledged by one, a majority"
                                .formatted(Rows.SMALL_VALUE, writers)
                            + " and all of 3 replicas"));
    return Stream.concat(
            writes, Stream.of(Trial.values()).map(each -> new Case(each.caseName(), each.about())))
        .toList();
  }

  private static String writeName(int writers) {
    return "write-" + writers;
  }

  /** Returns the cases that failed; the others ran nevertheless. */
  List<Failure> run(List<Case> wanted) throws InterruptedException {
    List<String> names = wanted.stream().map(Case::name).toList();
    List<Integer> writers =
        WRITERS.stream().filter(count -> names.contains(writeName(count))).toList();
    if (!writers.isEmpty()) {
      attempt("writes", () -> writes(writers));
    }
    Set<Trial> trials = EnumSet.noneOf(Trial.class);
    Stream.of(Trial.values())
        .filter(trial -> names.contains(trial.caseName()))
        .forEach(trials::add);
    trials(trials);
    return failures;
  }

  private interface Step {
    void run() throws Exception;
  }

  private void attempt(String name, Step step) throws InterruptedException {
    try {
      step.run();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      failures.add(new Failure(name, e));
      setup.progress().line("%s FAILED: %s".formatted(name, e));
    }
  }

  // ---- rates

  private void writes(List<Integer> writers) throws Exception {
    try (WriteArena arena = WriteArena.open(setup)) {
      for (int count : writers) {
        attempt(writeName(count), () -> tellWrites(count, arena.contest(writeName(count), count)));
      }
    }
  }

  private void tellWrites(int writers, List<Shown> shown) {
    Shown tablets = shown.get(Acks.values().length);
    Optional<Shown> limit = shown.stream().skip(Acks.values().length + 1L).findFirst();
    for (Shown each : shown.subList(0, Acks.values().length + 1)) {
      List<Shown> both = Stream.concat(Stream.of(each), limit.stream()).toList();
      String ofTablets =
          each.equals(tablets)
              ? ""
              : String.format(
                  Locale.ROOT,
                  "%.2f of the tablet table's rate",
                  each.summary().figure() / tablets.summary().figure());
      Notes notes =
          new Notes(both.stream().map(Shown::name).toList())
              .add(setup.absence())
              .add(ofTablets)
              .latency(both.stream().map(Shown::summary).toList())
              .cpu(List.of(each.cost()), "write")
              .noise(both.stream().map(Shown::summary).toList());
      results.accept(
          Result.withoutGoal(
              "write-%s-%d".formatted(each.name(), writers),
              "writes/s",
              Better.HIGHER,
              each.summary().figure(),
              limit.map(rate -> rate.summary().figure()),
              setup.limitName(),
              notes.toString()));
    }
  }

  // ---- times

  private void trials(Set<Trial> wanted) throws InterruptedException {
    Map<String, List<Timing>> timings = new LinkedHashMap<>();
    Map<String, List<Double>> limits = new LinkedHashMap<>();
    for (int round = 0; round < setup.extent().rounds(); round++) {
      for (TableSide side : setup.sides()) {
        List<Trial> copying = wanted.stream().filter(trial -> trial != Trial.CONVERGE).toList();
        if (wanted.contains(Trial.CONVERGE) && side.equals(setup.replicated())) {
          trials(side, NEVER, List.of(Trial.CONVERGE), round, timings, limits);
        }
        if (!copying.isEmpty()) {
          trials(side, DEAD_AFTER, copying, round, timings, limits);
        }
      }
    }
    timings.forEach((name, times) -> tell(name, times, limits.getOrDefault(name, List.of())));
  }

  private void trials(
      TableSide side,
      Duration deadAfter,
      List<Trial> wanted,
      int round,
      Map<String, List<Timing>> timings,
      Map<String, List<Double>> limits)
      throws InterruptedException {
    attempt(
        "%s table in round %d".formatted(side.name(), round + 1),
        () -> {
          Path directory = setup.workspace().directory(side.name());
          try (TableServers servers = side.start(directory, deadAfter)) {
            TrialRun run = new TrialRun(servers, setup.extent());
            for (Trial trial : wanted) {
              Timing timing = run.run(trial);
              String name = trial.caseName() + (side.equals(setup.tablets()) ? "-tablet" : "");
              timings.computeIfAbsent(name, _ -> new ArrayList<>()).add(timing);
              if (setup.limit() instanceof Limit.Present limit) {
                limits
                    .computeIfAbsent(name, _ -> new ArrayList<>())
                    .add(limited(limit, timing.bytes()));
              }
              progress(name, round, timing);
            }
          } finally {
            setup.workspace().delete(directory);
          }
        });
  }

  private double limited(Limit.Present limit, long bytes) throws Exception {
    Path directory = setup.workspace().directory(limit.name());
    try {
      return limit.load(directory, bytes);
    } finally {
      setup.workspace().delete(directory);
    }
  }

  private void progress(String name, int round, Timing timing) {
    setup
        .progress()
        .line(
            String.format(
                Locale.ROOT,
                "%-22s %d/%d  %10.2f s  %s",
                name,
                round + 1,
                setup.extent().rounds(),
                timing.seconds(),
                timing.note()));
  }

  private void tell(String name, List<Timing> timings, List<Double> limits) {
    double bytes = Median.of(timings.stream().mapToDouble(Timing::bytes).toArray());
    String note =
        Stream.of(
                setup.absence(),
                String.format(Locale.ROOT, "%,.0f MB", bytes / 1e6),
                timings.stream().map(Timing::note).distinct().collect(Collectors.joining("; ")))
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining("; "));
    results.accept(
        Result.withoutGoal(
            name,
            "s",
            Better.LOWER,
            Median.of(timings.stream().mapToDouble(Timing::seconds).toArray()),
            limits.isEmpty()
                ? Optional.empty()
                : Optional.of(
                    Median.of(limits.stream().mapToDouble(Double::doubleValue).toArray())),
            setup.limitName(),
            note));
  }
}
