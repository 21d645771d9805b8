package io.stele.bench.engine;

import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Arena.Entrant;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Arena.Step;
import io.stele.bench.measure.Arena.Turn;
import io.stele.bench.measure.Better;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Notes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * One line of the report: the ways of each side take turns, a side's figure is the best of its ways
 * that count, and the note tells what the others gave.
 */
final class Comparison {
  /** Stele is to be at least as good as the peer, in everything. */
  private static final double GOAL = 1.0;

  private record Way(EngineSide side, int turn, String name, boolean counts, Entrant<Sample> at) {}

  private record Ranked(Way way, Shown<Sample> shown) {}

  private final String name;
  private final String unit;
  private final Better better;
  private final ToDoubleFunction<Sample> figure;
  private final List<Way> ways = new ArrayList<>();

  Comparison(String name, String unit, Better better, ToDoubleFunction<Sample> figure) {
    this.name = name;
    this.unit = unit;
    this.better = better;
    this.figure = figure;
  }

  /** Adds one of the ways of a side. */
  void add(EngineSide side, String way, boolean counts, Step warmUp, Turn<Sample> turn) {
    int nth = (int) ways.stream().filter(other -> other.side().equals(side)).count();
    String title = side.name() + (way.isEmpty() ? "" : ", " + way);
    ways.add(new Way(side, nth, way, counts, new Entrant<>(title, warmUp, turn)));
  }

  void run(Run run, EngineSide stele, Peer<EngineSide> peer, boolean latency, String note)
      throws Exception {
    // The first way of each side, then the second of each: A B A B.
    ways.sort(Comparator.comparingInt(Way::turn));
    List<Shown<Sample>> shown =
        run.contest(name, unit, figure, ways.stream().map(Way::at).toList());
    List<Ranked> ranked = new ArrayList<>();
    for (int i = 0; i < ways.size(); i++) {
      ranked.add(new Ranked(ways.get(i), shown.get(i)));
    }
    Notes notes = new Notes().add(note);
    List<Shown<Sample>> best = new ArrayList<>();
    for (EngineSide side : peer.sides(stele)) {
      Ranked winner = best(ranked, side).orElseThrow();
      best.add(winner.shown());
      notes.add(others(ranked, winner));
    }
    run.tell(name, unit, better, best, peer, GOAL, latency ? notes.latency(best) : notes);
  }

  private Optional<Ranked> best(List<Ranked> ranked, EngineSide side) {
    return ranked.stream()
        .filter(each -> each.way().side().equals(side) && each.way().counts())
        .reduce((a, b) -> better.isBetter(b.shown().figure(), a.shown().figure()) ? b : a);
  }

  /** Which way gave a side's figure, and what its other ways gave. */
  private static String others(List<Ranked> ranked, Ranked best) {
    String others =
        ranked.stream()
            .filter(each -> each.way().side().equals(best.way().side()) && !each.equals(best))
            .map(each -> each.way().name() + ": " + Figures.text(each.shown().figure()))
            .collect(Collectors.joining(", "));
    return others.isEmpty()
        ? ""
        : "%s by %s (%s)".formatted(best.way().side().name(), best.way().name(), others);
  }
}
