package io.stele.bench.engine;

import io.stele.bench.report.Result;
import java.util.List;

/** One thing that is measured on both sides. */
sealed interface EngineCase {
  /** By which it is chosen on the command line. */
  String name();

  /** What it measures, for {@code --list}. */
  String about();

  /** Measured for each value size, over the same data as its neighbours. */
  non-sealed interface PerValueSize extends EngineCase {
    List<Result> run(Setup setup, Dataset data) throws Exception;

    default String name(Dataset data) {
      return name() + "-" + Records.label(data.records().valueSize());
    }
  }

  /** Measured once, over data of its own. */
  non-sealed interface Once extends EngineCase {
    List<Result> run(Setup setup) throws Exception;
  }
}
