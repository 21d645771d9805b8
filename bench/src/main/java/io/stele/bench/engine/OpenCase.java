package io.stele.bench.engine;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Laps;
import io.stele.bench.measure.Sample;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Result;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** From nothing to the first value read from a large store that was closed in order. */
final class OpenCase implements EngineCase.Once {
  private static final int OPENINGS = 5;
  private static final long CACHE = 256L << 20;

  @Override
  public String name() {
    return "open";
  }

  @Override
  public String about() {
    return "time to open a store of a gigabyte (less in a quick run) and read one key";
  }

  @Override
  public List<Result> run(Setup setup) throws Exception {
    Records records = setup.scale().openRecordsSet();
    try (Dataset data = new Dataset(setup, name(), records)) {
      Comparison comparison =
          new Comparison(setup, name(), "ms", Better.LOWER, Sample::millisPerRun);
      for (EngineSide side : setup.sides()) {
        Path directory = data.directory(side);
        comparison.add(
            side,
            "",
            true,
            () -> openings(setup, side, directory, records),
            () -> openings(setup, side, directory, records));
      }
      String size =
          "%s keys and values of %s bytes in all"
              .formatted(Figures.text(records.count()), Figures.text(records.bytes()));
      return List.of(comparison.run(size + ", files in the system's page cache"));
    }
  }

  private static Sample openings(Setup setup, EngineSide side, Path directory, Records records)
      throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    EngineOptions options = setup.options(CACHE);
    Laps laps = new Laps();
    for (int i = 0; i < OPENINGS; i++) {
      long record = random.nextLong(records.count());
      laps.time(() -> openAndGet(side, directory, records, options, record)).close();
    }
    return laps.sample();
  }

  private static Engine openAndGet(
      EngineSide side, Path directory, Records records, EngineOptions options, long record)
      throws Exception {
    Engine engine = side.open(directory, records, options);
    try (Engine.Access get = engine.gets().getFirst().source().open()) {
      get.to(record);
      return engine;
    } catch (Exception e) {
      engine.close();
      throw e;
    }
  }
}
