package io.stele.bench;

import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Arena;
import io.stele.bench.measure.Arena.Entrant;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Arena.Step;
import io.stele.bench.measure.Better;
import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import io.stele.bench.report.Notes;
import io.stele.bench.report.Report;
import io.stele.bench.report.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** One run of a benchmark: what its cases share, and what came of them. Used by one thread. */
public final class Run {
  /** Fewer say little: one disturbed round would be the figure. */
  private static final int FEWEST_ROUNDS = 3;

  private final int rounds;
  private final Duration phase;
  private final Workspace workspace;
  private final Progress progress;
  private final Map<String, String> facts = new LinkedHashMap<>();
  private final List<Result> results = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private double mostNoise;
  private String noisiest = "";

  public Run(int rounds, Duration phase, Workspace workspace, Progress progress) {
    this.rounds = rounds;
    this.phase = phase;
    this.workspace = workspace;
    this.progress = progress;
  }

  public int rounds() {
    return rounds;
  }

  /** How long a timed phase takes. */
  public Duration phase() {
    return phase;
  }

  /** Servers compile and cache what they do often: not on the clock. */
  public Duration warmUp() {
    return phase.dividedBy(2);
  }

  /** The same in seconds, for a crew. */
  public double seconds() {
    return phase.toNanos() / 1e9;
  }

  /** How often and how long is measured, for the head of the report. */
  public String lengths() {
    return String.format(Locale.ROOT, "rounds: %d; timed phases of %.2f s", rounds, seconds());
  }

  public Progress progress() {
    return progress;
  }

  // ---- directories

  /** Something that needs a directory. */
  public interface InDirectory<T> {
    T run(Path directory) throws Exception;
  }

  /** Does something with a new directory, which is deleted afterwards. */
  public <T> T within(String name, InDirectory<T> step) throws Exception {
    Path directory = workspace.directory(name);
    try {
      return step.run(directory);
    } finally {
      workspace.delete(directory);
    }
  }

  /** A new directory, for {@link #delete} to delete. */
  public Path directory(String name) throws IOException {
    return workspace.directory(name);
  }

  public void delete(Path directory) throws IOException {
    workspace.delete(directory);
  }

  // ---- measuring

  /** Does one of several things, of which the others are done also if this one fails. */
  public void attempt(String name, Step step) throws InterruptedException {
    try {
      step.run();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      failures.add("FAILED %s: %s".formatted(name, e));
      progress.line("%s FAILED: %s".formatted(name, e));
    }
  }

  /** Lets sides take turns; see {@link Arena#contest}. */
  public <T> List<Shown<T>> contest(
      String title, String unit, ToDoubleFunction<? super T> figure, List<Entrant<T>> entrants)
      throws Exception {
    List<Shown<T>> shown = new Arena(rounds, progress).contest(title, unit, figure, entrants);
    double noise = Notes.others(shown).orElse(0);
    if (noise > mostNoise) {
      mostNoise = noise;
      noisiest = title;
    }
    return shown;
  }

  // ---- results

  /** Adds a line to the head of the report. */
  public void fact(String name, String text) {
    facts.put(name, text);
  }

  public void facts(Map<String, String> more) {
    facts.putAll(more);
  }

  public void tell(Result result) {
    results.add(result);
  }

  /**
   * Tells what a contest came to, of which the first entrant is Stele's and the second, if there is
   * one, the peer's.
   *
   * @param goal the least ratio that is wanted; null if the figures are only told
   */
  public <T> void tell(
      String name,
      String unit,
      Better better,
      List<Shown<T>> shown,
      Peer<?> peer,
      @Nullable Double goal,
      Notes notes) {
    tellFigures(
        name,
        unit,
        better,
        shown.stream().map(Shown::figure).toList(),
        peer,
        goal,
        notes.noise(shown));
  }

  /** Tells Stele's figure and the peer's, if that is there. */
  public void tellFigures(
      String name,
      String unit,
      Better better,
      List<Double> figures,
      Peer<?> peer,
      @Nullable Double goal,
      Notes notes) {
    tell(
        Result.beside(
            name,
            unit,
            better,
            figures.getFirst(),
            figures.stream().skip(1).findFirst(),
            peer.title(),
            goal,
            notes.add(peer.absence()).toString()));
  }

  /** Likewise, of requests: tells also how long single ones took and what they cost. */
  public void tellRates(
      String name,
      String unit,
      String request,
      List<Shown<Sample>> shown,
      Peer<?> peer,
      @Nullable Double goal,
      Notes notes) {
    tell(name, unit, Better.HIGHER, shown, peer, goal, notes.latency(shown).cpu(shown, request));
  }

  public List<Result> results() {
    return results;
  }

  public List<String> failures() {
    return failures;
  }

  /** What stands above the results; its first line says why they must not be recorded, if so. */
  public Report report(String peerColumn, Map<String, String> machine) {
    Map<String, String> head = new LinkedHashMap<>(machine);
    head.putAll(facts);
    return new Report(verdict(), head, peerColumn, results, failures);
  }

  /** Why the run is not fit to be recorded; empty if it is. */
  Optional<String> verdict() {
    List<String> reasons = new ArrayList<>();
    if (rounds < FEWEST_ROUNDS) {
      reasons.add("rounds: %d, and at least %d are needed".formatted(rounds, FEWEST_ROUNDS));
    }
    if (mostNoise >= Notes.MOST_NOISE) {
      reasons.add(
          String.format(
              Locale.ROOT,
              "in %s other processes used %.0f %% of the machine, and less than %.0f %% is needed",
              noisiest,
              mostNoise * 100,
              Notes.MOST_NOISE * 100));
    }
    return reasons.isEmpty()
        ? Optional.empty()
        : Optional.of("NOT FIT TO BE RECORDED: " + String.join("; ", reasons));
  }
}
