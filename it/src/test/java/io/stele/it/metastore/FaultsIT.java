package io.stele.it.metastore;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.time.Clock;
import io.stele.it.metastore.Nemesis.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients see while members are killed, paused, cut off and replaced. */
@Timeout(1200)
class FaultsIT {

  /** Longer than a session of the workloads lives. */
  private static final Duration HARM = Duration.ofSeconds(3);

  private static final long OPERATIONS = 100_000;

  @Test
  void nothingIsLostStaleOrHeldTwiceWhileMembersFail() throws Exception {
    run("faults", Duration.ofSeconds(15), Duration.ofSeconds(20));
  }

  @Test
  @Tag("long")
  void nothingIsLostStaleOrHeldTwiceOverManyFaults() throws Exception {
    assertThat(run("many-faults", Duration.ofMinutes(10), Duration.ofMinutes(30)))
        .as("operations checked")
        .isGreaterThanOrEqualTo(OPERATIONS);
  }

  /** Returns how many operations were checked: less than wanted on a machine that is too slow. */
  private static long run(String name, Duration least, Duration most) throws Exception {
    long seed = Long.getLong("stele.seed", Clock.system().nanos());
    try (TestCluster cluster = TestCluster.start(name, 3, TestNetwork.open());
        FaultyRun run = new FaultyRun(cluster, seed)) {
      run.start();
      Nemesis nemesis = new Nemesis(cluster, seed, HARM);
      nemesis.run(nemesis.possible(Fault.values()), least, most, () -> run.answers() > OPERATIONS);
      return run.checkAll(nemesis);
    }
  }
}
