package io.stele.bench.engine;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Contest;
import io.stele.bench.measure.Contest.Attempt;
import io.stele.bench.measure.Contest.Entrant;
import io.stele.bench.measure.Contest.Summary;
import io.stele.bench.measure.Sample;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * One line of the report: the ways of each side take turns, a side's figure is the best of its ways
 * that count, and what the others gave goes into the note.
 */
final class Comparison {
  /** From here on the note tells how much of the machine other processes used. */
  private static final double NOISE = 0.15;

  /** Stele is to be at least as good as the peer, in everything. */
  private static final double GOAL = 1.0;

  private record Candidate(
      EngineSide side, int turn, String way, boolean counts, Entrant entrant) {}

  private record Ranked(Candidate candidate, Summary summary) {}

  private final Setup setup;
  private final String name;
  private final String unit;
  private final Better better;
  private final ToDoubleFunction<Sample> figure;
  private final List<Candidate> candidates = new ArrayList<>();
  private boolean latency;

  Comparison(
      Setup setup, String name, String unit, Better better, ToDoubleFunction<Sample> figure) {
    this.setup = setup;
    this.name = name;
    this.unit = unit;
    this.better = better;
    this.figure = figure;
  }

  /** Also tells in the note how long single runs took. */
  Comparison withLatency() {
    latency = true;
    return this;
  }

  /** Adds one of the ways of a side. */
  void add(EngineSide side, String way, boolean counts, Attempt warmUp, Attempt attempt) {
    int turn = (int) candidates.stream().filter(other -> other.side().equals(side)).count();
    String entrant = side.name() + (way.isEmpty() ? "" : ", " + way);
    candidates.add(new Candidate(side, turn, way, counts, new Entrant(entrant, warmUp, attempt)));
  }

  Result run(String note) throws Exception {
    // The first way of each side, then the second of each: A B A B.
    candidates.sort(Comparator.comparingInt(Candidate::turn));
    List<Summary> summaries =
        new Contest(name, unit, figure, setup.progress())
            .run(setup.scale().rounds(), candidates.stream().map(Candidate::entrant).toList());
    List<Ranked> ranked = new ArrayList<>();
    for (int i = 0; i < candidates.size(); i++) {
      ranked.add(new Ranked(candidates.get(i), summaries.get(i)));
    }
    Ranked stele = best(ranked, setup.stele()).orElseThrow();
    Optional<Ranked> peer =
        setup.peer() instanceof Peer.Present(EngineSide side, _)
            ? best(ranked, side)
            : Optional.empty();
    List<String> notes = new ArrayList<>();
    notes.add(note);
    if (latency) {
      notes.add(latency(stele, peer));
    }
    setup.sides().forEach(side -> notes.add(ways(ranked, side)));
    return Result.besidePeer(
        name,
        unit,
        better,
        stele.summary().figure(),
        peer.map(best -> best.summary().figure()),
        setup.peerName(),
        GOAL,
        note(setup, notes, summaries));
  }

  /** The parts of a note that say something, the noise on the machine, and an absent peer. */
  static String note(Setup setup, List<String> parts, List<Summary> summaries) {
    List<String> all = new ArrayList<>(parts);
    OptionalDouble others =
        summaries.stream()
            .map(Summary::othersShare)
            .filter(OptionalDouble::isPresent)
            .mapToDouble(OptionalDouble::getAsDouble)
            .max();
    if (others.orElse(0) > NOISE) {
      all.add(
          String.format(
              Locale.ROOT,
              "other processes used up to %.0f %% of the machine",
              others.getAsDouble() * 100));
    }
    if (setup.peer() instanceof Peer.Absent(String peer, String reason)) {
      all.add(peer + " is absent: " + reason);
    }
    return all.stream().filter(part -> !part.isEmpty()).collect(Collectors.joining("; "));
  }

  private Optional<Ranked> best(List<Ranked> ranked, EngineSide side) {
    return ranked.stream()
        .filter(each -> each.candidate().side().equals(side) && each.candidate().counts())
        .reduce((a, b) -> better.isBetter(b.summary().figure(), a.summary().figure()) ? b : a);
  }

  private String latency(Ranked stele, Optional<Ranked> peer) {
    return "p50/p99 µs: " + latency(stele) + peer.map(ranked -> ", " + latency(ranked)).orElse("");
  }

  private static String latency(Ranked ranked) {
    return String.format(
        Locale.ROOT,
        "%s %.1f/%.1f",
        ranked.candidate().side().name(),
        ranked.summary().p50Micros(),
        ranked.summary().p99Micros());
  }

  /** Which way gave a side's figure, and what its other ways gave. */
  private String ways(List<Ranked> ranked, EngineSide side) {
    List<Ranked> own =
        ranked.stream().filter(each -> each.candidate().side().equals(side)).toList();
    if (own.size() < 2) {
      return "";
    }
    Ranked best = best(ranked, side).orElseThrow();
    return "%s by %s (%s)"
        .formatted(
            side.name(),
            best.candidate().way(),
            own.stream()
                .filter(each -> !each.equals(best))
                .map(each -> each.candidate().way() + ": " + Figures.text(each.summary().figure()))
                .collect(Collectors.joining(", ")));
  }
}
