package io.stele.bench.engine;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Sample;
import io.stele.bench.report.Result;
import java.nio.file.Path;
import java.util.List;

/** All records from one thread that does not wait for the log. */
final class FillCase implements EngineCase.PerValueSize {
  private static final long WARM_UP_RECORDS = 100_000;
  private static final long CACHE = 64L << 20;

  @Override
  public String name() {
    return "fill";
  }

  @Override
  public String about() {
    return "random puts of all records from 1 thread that does not wait for the log";
  }

  @Override
  public List<Result> run(Setup setup, Dataset data) throws Exception {
    Comparison comparison =
        new Comparison(setup, name(data), "puts/s", Better.HIGHER, Sample::perSecond);
    long count = data.records().count();
    for (EngineSide side : setup.sides()) {
      comparison.add(
          side,
          "",
          true,
          () -> attempt(setup, side, data, Math.min(count, WARM_UP_RECORDS)),
          () -> attempt(setup, side, data, count));
    }
    return List.of(
        comparison.run(
            "no put waits for the log: RocksDB's is with the kernel when a put returns, Stele's a"
                + " moment later; one sync of it at the end is timed"));
  }

  private Sample attempt(Setup setup, EngineSide side, Dataset data, long count) throws Exception {
    Path directory = setup.workspace().directory(name(data) + "-" + side.name());
    try (Engine engine = side.open(directory, data.records(), setup.options(CACHE))) {
      return Dataset.fill(engine, count);
    } finally {
      setup.workspace().delete(directory);
    }
  }
}
