package io.stele.bench.engine;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Sample;
import io.stele.bench.report.Result;
import java.util.List;

/** Short scans that start anywhere. */
final class SeekCase implements EngineCase.PerValueSize {
  private static final int CELLS = 50;
  private static final int RUNS_PER_LOOK = 4;

  @Override
  public String name() {
    return "seek50";
  }

  @Override
  public String about() {
    return "seek to a random key and read " + CELLS + " values, all data in the block cache";
  }

  @Override
  public List<Result> run(Setup setup, Dataset data) throws Exception {
    try (OpenSides open = data.open(data.wholeCacheBytes())) {
      open.warm();
      Comparison comparison =
          new Comparison(setup, name(data), "seeks/s", Better.HIGHER, Sample::perSecond)
              .withLatency();
      new Reading(engine -> engine.seeks(CELLS), 1, RUNS_PER_LOOK)
          .addTo(comparison, setup, open, data.records());
      return List.of(comparison.run(""));
    }
  }
}
