package io.stele.bench.metastore;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Contest.Summary;
import io.stele.bench.measure.Sample;
import io.stele.bench.report.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;

/** One client puts, a thousand watchers see it: how long until the last one has. */
final class WatchCase implements MetastoreCase.InArena {
  private static final Duration START_PATIENCE = Duration.ofSeconds(30);
  private static final int WATCHERS = Scale.WATCHERS;
  private static final double GOAL = 1.0;
  private static final KeySet KEYS = new KeySet("/bench/watched", 100, Scale.VALUE_BYTES);

  @Override
  public String name() {
    return "watch-" + WATCHERS;
  }

  @Override
  public String about() {
    return "events to %,d watchers of one directory, and from a put to the last of them"
        .formatted(WATCHERS);
  }

  @Override
  public List<Result> run(Arena arena) throws Exception {
    Arena.Outcome outcome =
        arena.contest(
            arena.name(name()),
            "events/s",
            sample -> sample.perSecond() * WATCHERS,
            WatchCase::turn);
    return List.of(
        result(arena, "", "events/s", Better.HIGHER, outcome, Summary::figure),
        result(arena, "-p50", "µs", Better.LOWER, outcome, Summary::p50Micros),
        result(arena, "-p99", "µs", Better.LOWER, outcome, Summary::p99Micros));
  }

  private Result result(
      Arena arena,
      String suffix,
      String unit,
      Better better,
      Arena.Outcome outcome,
      ToDoubleFunction<Summary> figure) {
    List<Summary> summaries = outcome.summaries();
    String note =
        suffix.isEmpty()
            ? "one put at a time, the next when all watchers have seen it"
            : "from a put to the event of the last watcher";
    return Result.besidePeer(
        arena.name(name() + suffix),
        unit,
        better,
        figure.applyAsDouble(summaries.getFirst()),
        summaries.size() > 1
            ? Optional.of(figure.applyAsDouble(summaries.get(1)))
            : Optional.empty(),
        arena.setup().peerName(),
        GOAL,
        arena.setup().notes().add(note).cpu(outcome.costs(), "put").noise(summaries).toString());
  }

  /** The watchers are spread evenly over the connections, and new in every turn. */
  private static Sample turn(Contestant contestant, Duration length) throws Exception {
    RandomGenerator chance = new SplittableRandom(WATCHERS);
    Fanout fanout =
        new Fanout(
            WATCHERS,
            contestant::nextEdition,
            edition -> contestant.connection(0).put(KEYS, chance.nextLong(KEYS.count()), edition));
    List<Driver.Watches> all = new ArrayList<>();
    try {
      int connections = contestant.connections();
      for (int i = 0; i < connections; i++) {
        int first = WATCHERS * i / connections;
        int count = WATCHERS * (i + 1) / connections - first;
        all.add(
            contestant
                .connection(i)
                .watch(KEYS, first, count, fanout)
                .get(START_PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
      }
      return contestant.loop(List.of(fanout), length);
    } finally {
      all.forEach(Driver.Watches::close);
    }
  }
}
