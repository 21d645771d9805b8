package io.stele.it.metastore;

import static org.assertj.core.api.Assertions.assertThat;

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

  @Test
  void nothingIsLostStaleOrHeldTwiceWhileMembersFail() throws Exception {
    run("faults", Duration.ofSeconds(60), 1);
  }

  @Test
  @Tag("long")
  void nothingIsLostStaleOrHeldTwiceOverManyFaults() throws Exception {
    run("many-faults", Duration.ofMinutes(10), 100_000);
  }

  private static void run(String name, Duration time, long least) throws Exception {
    long seed = Long.getLong("stele.seed", System.nanoTime());
    try (TestCluster cluster = TestCluster.start(name, 3, TestNetwork.open());
        FaultyRun run = new FaultyRun(cluster, seed)) {
      run.start();
      Nemesis nemesis = new Nemesis(cluster, seed, HARM);
      nemesis.run(nemesis.possible(Fault.values()), time);
      long checked = run.checkAll(nemesis);
      assertThat(checked).as("operations checked").isGreaterThanOrEqualTo(least);
    }
  }
}
