package io.stele.bench.engine;

import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** All cases of {@code stele bench engine}, and the order in which they run. */
final class EngineBench {
  private static final List<EngineCase.PerValueSize> PER_VALUE_SIZE =
      List.of(
          new FillSyncCase(),
          new FillCase(),
          new DiskBytesCase(),
          GetCase.cached(),
          GetCase.uncached(),
          new ScanCase(),
          new SeekCase());

  private static final List<EngineCase.Once> ONCE = List.of(new OpenCase(), new GrowthCase());

  private EngineBench() {}

  static List<EngineCase> cases() {
    List<EngineCase> all = new ArrayList<>(PER_VALUE_SIZE);
    all.addAll(ONCE);
    return all;
  }

  static Optional<EngineCase> find(String name) {
    return cases().stream().filter(each -> each.name().equals(name)).findFirst();
  }

  /** Runs the wanted cases; each result is handed over as soon as it is known. */
  static void run(Setup setup, List<EngineCase> wanted, Consumer<Result> results) throws Exception {
    for (int valueSize : setup.scale().valueSizes()) {
      String name = "data-" + Records.label(valueSize);
      try (Dataset data = new Dataset(setup, name, setup.scale().records(valueSize))) {
        for (EngineCase.PerValueSize each : PER_VALUE_SIZE) {
          if (wanted.contains(each)) {
            each.run(setup, data).forEach(results);
          }
        }
      }
    }
    for (EngineCase.Once each : ONCE) {
      if (wanted.contains(each)) {
        each.run(setup).forEach(results);
      }
    }
  }
}
