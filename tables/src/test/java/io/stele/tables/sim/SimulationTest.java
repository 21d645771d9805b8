package io.stele.tables.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testkit.run.Seed;
import io.stele.testkit.sim.Seeds;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Tablet servers, masters and META in one process, under faults that a seed chooses: nothing that
 * was acknowledged is lost or comes back, rows stay whole, META has no holes, every named file is
 * there, and a tablet has one owner. A failure prints what happened; {@code -Dseed=N -Dseeds=1}
 * repeats it.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class SimulationTest {
  private static final int SEEDS = 200;
  private static final int STEPS = 16;
  private static final int TOGETHER = 3;

  static long run(long seed) throws Exception {
    try (Schedule schedule = new Schedule(seed)) {
      return schedule.run(STEPS);
    }
  }

  @Test
  void whateverHappensNothingIsLost() {
    long first = Seed.of(SimulationTest.class, 1);
    int count = Integer.getInteger("seeds", SEEDS);
    long operations = Seeds.run(first, count, TOGETHER, SimulationTest::run);
    assertThat(operations).as("operations of all runs").isGreaterThan(count);
  }
}
