package io.stele.bench.engine;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Sample;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.List;

/** Random gets of records that are there. */
final class GetCase implements EngineCase.PerValueSize {
  private static final List<Integer> THREADS = List.of(1, 2);
  static final int RUNS_PER_LOOK = 64;

  /** The cache that is too small holds this part of the data. */
  private static final int UNCACHED_PART = 8;

  private final boolean cached;

  private GetCase(boolean cached) {
    this.cached = cached;
  }

  static GetCase cached() {
    return new GetCase(true);
  }

  static GetCase uncached() {
    return new GetCase(false);
  }

  @Override
  public String name() {
    return cached ? "get-cached" : "get-uncached";
  }

  @Override
  public String about() {
    return "random gets at 1 and 2 threads, "
        + (cached ? "all data in the block cache" : "the block cache an eighth of the data");
  }

  @Override
  public List<Result> run(Setup setup, Dataset data) throws Exception {
    long cache = cached ? data.wholeCacheBytes() : data.records().bytes() / UNCACHED_PART;
    String note =
        cached
            ? ""
            : "block cache of %s bytes; the files are in the system's page cache on both sides"
                .formatted(Figures.text(cache));
    List<Result> results = new ArrayList<>();
    try (OpenSides open = data.open(cache)) {
      open.warm();
      for (int threads : THREADS) {
        String name =
            "%s-%dt-%s".formatted(name(), threads, Records.label(data.records().valueSize()));
        Comparison comparison =
            new Comparison(setup, name, "gets/s", Better.HIGHER, Sample::perSecond).withLatency();
        new Reading(Engine::gets, threads, RUNS_PER_LOOK)
            .addTo(comparison, setup, open, data.records());
        results.add(comparison.run(note));
      }
    }
    return results;
  }
}
