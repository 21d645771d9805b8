package io.stele.tables.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testkit.run.LongRun;
import io.stele.testkit.run.Seed;
import io.stele.testkit.sim.Seeds;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Tablet servers, masters and META in one process, under faults that a seed chooses: nothing that
 * was acknowledged is lost or comes back, rows stay whole, META has no holes, every named file is
 * there, and a tablet has one owner. A failure prints what happened; {@code -Dseed=N -Dseeds=1}
 * repeats it.
 *
 * <p>Seeds, counted from 1, until it finds a defect whose fix is taken out again:
 *
 * <pre>
 *   what is taken out                                                              seeds
 *   server time does not go back when a tablet moves                                   2
 *   a family that is removed stays removed in tablets that were on their way           3
 *   a change of schema compares with the schema that its client has read               4
 *   a conditional write conflicts with what the tablet brought from elsewhere          5
 *   a save that is refused for good keeps no log                                      16
 *   a dead log is synced before it is served                                          34
 *   a join over two tablets of META erases last                                       54
 *   splits wait for META a bounded time, and not with their locks (both)              76
 *   a tablet that leaves while saves wait keeps its log                               93
 *   a suspended server finds that clocks part, and the fence of its log (both)       120
 * </pre>
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class SimulationTest {
  private static final int SEEDS = 200;
  private static final int STEPS = 16;
  private static final int LONG_STEPS = 50;
  private static final int ROUND = 50; // seeds of a round of the long tier
  private static final int TOGETHER = 3;

  static long run(long seed) throws Exception {
    return run(seed, STEPS);
  }

  private static long run(long seed, int steps) throws Exception {
    try (Schedule schedule = new Schedule(seed)) {
      return schedule.run(steps);
    }
  }

  @Test
  void whateverHappensNothingIsLost() {
    long first = Seed.of(SimulationTest.class, 1);
    int count = Integer.getInteger("seeds", SEEDS);
    long operations = Seeds.run(first, count, TOGETHER, SimulationTest::run);
    assertThat(operations).as("operations of all runs").isGreaterThan(count);
  }

  /** The same for as long as there is time, with other seeds and longer schedules too. */
  @Test
  @Tag(LongRun.TAG)
  @Timeout(value = 6, unit = TimeUnit.HOURS, threadMode = ThreadMode.SEPARATE_THREAD)
  void whateverHappensNothingIsLostForLong() throws Exception {
    LongRun.repeat(
        SimulationTest.class,
        10,
        round -> {
          int steps = round % 2 == 0 ? STEPS : LONG_STEPS;
          return Seeds.run(round * ROUND, ROUND, TOGETHER, seed -> run(seed, steps));
        });
  }
}
