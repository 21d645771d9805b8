package io.stele.bench.engine;

import io.stele.bench.engine.Engine.Way;
import io.stele.bench.engine.OpenSides.OpenSide;
import io.stele.bench.measure.Contest;
import io.stele.bench.measure.Contest.Entrant;
import io.stele.bench.measure.Contest.Summary;
import io.stele.bench.measure.Operation;
import io.stele.bench.measure.Phase;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * What a get and a scanned row cost when there is more data. All sizes of both sides are open at
 * once and take turns, so that nothing but the amount of data differs between them.
 */
final class GrowthCase implements EngineCase.Once {
  /** The most that the cost of an operation may grow by at ten times the data. */
  private static final double MOST_GROWTH = 1.3;

  /**
   * A kind of read.
   *
   * @param operations how many operations one run of it stands for
   */
  private record Kind(
      String name,
      Function<Engine, List<Way>> ways,
      int runsPerLook,
      ToLongFunction<Records> operations) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("growth-get", Engine::gets, GetCase.RUNS_PER_LOOK, _ -> 1),
          new Kind("growth-scan", Engine::scans, 1, Records::count));

  /** The same data at one size. */
  private record Size(int times, Dataset data, OpenSides open) {}

  private record Entry(EngineSide side, int times, long operations, Entrant entrant) {}

  /** Microseconds of one operation of a side at a size. */
  private record Cost(EngineSide side, int times, double micros) {}

  @Override
  public String name() {
    return "growth";
  }

  @Override
  public String about() {
    return "cost of a get and of a scanned row at 3 and 10 times the data, relative to 1 time";
  }

  @Override
  public List<Result> run(Setup setup) throws Exception {
    List<Size> sizes = new ArrayList<>();
    try {
      for (int times : Scale.GROWTH) {
        Dataset data =
            new Dataset(setup, name() + "-" + times + "x", setup.scale().growthRecords(times));
        OpenSides open = data.open(data.wholeCacheBytes());
        sizes.add(new Size(times, data, open));
        open.warm();
      }
      List<Result> results = new ArrayList<>();
      for (Kind kind : KINDS) {
        results.add(measure(setup, sizes, kind));
      }
      return results;
    } finally {
      for (Size size : sizes) {
        size.open().close();
        size.data().close();
      }
    }
  }

  private static Result measure(Setup setup, List<Size> sizes, Kind kind) throws Exception {
    List<Entry> entries = entries(setup, sizes, kind);
    List<Summary> summaries =
        new Contest(kind.name(), "µs a run", sample -> 1e6 / sample.perSecond(), setup.progress())
            .run(setup.scale().rounds(), entries.stream().map(Entry::entrant).toList());
    List<Cost> costs = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      double micros = summaries.get(i).figure() / entry.operations();
      costs.add(new Cost(entry.side(), entry.times(), micros));
    }
    int most = Scale.GROWTH.getLast();
    List<String> notes = setup.sides().stream().map(side -> note(costs, side)).toList();
    return Result.growth(
        kind.name(),
        "cost at " + most + "×",
        growth(costs, setup.stele(), most),
        setup.peer() instanceof Peer.Present(EngineSide side, _)
            ? Optional.of(growth(costs, side, most))
            : Optional.empty(),
        setup.peerName(),
        MOST_GROWTH,
        Comparison.note(setup, notes, summaries));
  }

  private static List<Entry> entries(Setup setup, List<Size> sizes, Kind kind) {
    Phase phase = Phase.timed(1, setup.scale().phase(), kind.runsPerLook());
    Phase warmUp = Phase.timed(1, setup.scale().phase().dividedBy(2), kind.runsPerLook());
    List<Entry> entries = new ArrayList<>();
    for (Size size : sizes) {
      Records records = size.data().records();
      for (OpenSide open : size.open().list()) {
        Way way = kind.ways().apply(open.engine()).getFirst();
        Operation.Source reads = Reading.randomReads(way, records.count());
        String entrant = "%s, %d×".formatted(open.side().name(), size.times());
        entries.add(
            new Entry(
                open.side(),
                size.times(),
                kind.operations().applyAsLong(records),
                new Entrant(entrant, () -> warmUp.run(reads), () -> phase.run(reads))));
      }
    }
    return entries;
  }

  private static double growth(List<Cost> costs, EngineSide side, int times) {
    return micros(costs, side, times) / micros(costs, side, 1);
  }

  private static double micros(List<Cost> costs, EngineSide side, int times) {
    return costs.stream()
        .filter(cost -> cost.side().equals(side) && cost.times() == times)
        .mapToDouble(Cost::micros)
        .findFirst()
        .orElseThrow();
  }

  private static String note(List<Cost> costs, EngineSide side) {
    StringBuilder note = new StringBuilder(side.name());
    for (int times : Scale.GROWTH) {
      note.append(
          times == 1
              ? " 1×: " + Figures.text(micros(costs, side, 1)) + " µs"
              : ", %d×: %s".formatted(times, Figures.text(growth(costs, side, times))));
    }
    return note.toString();
  }
}
