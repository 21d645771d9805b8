package io.stele.bench.engine;

import io.stele.bench.engine.Engine.Way;
import io.stele.bench.engine.OpenSides.OpenSide;
import io.stele.bench.measure.Operation;
import io.stele.bench.measure.Phase;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * How the reading cases ask for their reads: random records, the same ones on every side.
 *
 * @param runsPerLook how many reads pass between two looks at the clock
 */
record Reading(Function<Engine, List<Way>> ways, int threads, int runsPerLook) {
  /** Adds every way of every side to a comparison. */
  void addTo(Comparison comparison, Setup setup, OpenSides open, Records records) {
    Phase measured = Phase.timed(threads, setup.scale().phase(), runsPerLook);
    Phase warmUp = Phase.timed(threads, setup.scale().phase().dividedBy(2), runsPerLook);
    for (OpenSide side : open.list()) {
      for (Way way : ways.apply(side.engine())) {
        Operation.Source reads = randomReads(way, records.count());
        comparison.add(
            side.side(),
            way.name(),
            way.counts(),
            () -> warmUp.run(reads),
            () -> measured.run(reads));
      }
    }
  }

  static Operation.Source randomReads(Way way, long count) {
    return thread -> {
      Engine.Access access = way.source().open();
      SplittableRandom random = new SplittableRandom(thread);
      return new Operation() {
        @Override
        public void run() throws Exception {
          access.to(random.nextLong(count));
        }

        @Override
        public void close() throws Exception {
          access.close();
        }
      };
    };
  }
}
