package io.stele.bench.engine;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Phase;
import io.stele.bench.measure.Sample;
import io.stele.bench.report.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Durable puts from many threads, each waiting for its own: what group commit is for. */
final class FillSyncCase implements EngineCase.PerValueSize {
  private static final int THREADS = 16;
  private static final long CACHE = 64L << 20;

  /** The first case of a run meets a JVM that has compiled nothing yet, also in a quick one. */
  private static final Duration WARM_UP = Duration.ofSeconds(1);

  @Override
  public String name() {
    return "fill-sync";
  }

  @Override
  public String about() {
    return "random puts from " + THREADS + " threads, each durable (fsync) when it returns";
  }

  @Override
  public List<Result> run(Setup setup, Dataset data) throws Exception {
    Comparison comparison =
        new Comparison(setup, name(data), "puts/s", Better.HIGHER, Sample::perSecond).withLatency();
    Duration length = setup.scale().phase();
    for (EngineSide side : setup.sides()) {
      comparison.add(
          side,
          "",
          true,
          () -> attempt(setup, side, data, WARM_UP),
          () -> attempt(setup, side, data, length));
    }
    return List.of(comparison.run(THREADS + " threads"));
  }

  private Sample attempt(Setup setup, EngineSide side, Dataset data, Duration length)
      throws Exception {
    Records records = data.records();
    Path directory = setup.workspace().directory(name(data) + "-" + side.name());
    try (Engine engine = side.open(directory, records, setup.options(CACHE))) {
      return Phase.timed(THREADS, length, 1)
          .run(
              thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                Engine.Access puts = engine.puts(true);
                return () -> puts.to(random.nextLong(records.count()));
              });
    } finally {
      setup.workspace().delete(directory);
    }
  }
}
