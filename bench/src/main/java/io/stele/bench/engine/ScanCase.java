package io.stele.bench.engine;

import io.stele.bench.measure.Better;
import io.stele.bench.report.Result;
import java.util.List;

/** One thread that reads every byte of every key and value, from first to last. */
final class ScanCase implements EngineCase.PerValueSize {
  @Override
  public String name() {
    return "scan";
  }

  @Override
  public String about() {
    return "full scan at 1 thread, every byte of keys and values read, all data in the block cache";
  }

  @Override
  public List<Result> run(Setup setup, Dataset data) throws Exception {
    long count = data.records().count();
    try (OpenSides open = data.open(data.wholeCacheBytes())) {
      open.warm();
      Comparison comparison =
          new Comparison(
              setup, name(data), "rows/s", Better.HIGHER, sample -> sample.perSecond() * count);
      new Reading(Engine::scans, 1, 1).addTo(comparison, setup, open, data.records());
      return List.of(comparison.run(""));
    }
  }
}
