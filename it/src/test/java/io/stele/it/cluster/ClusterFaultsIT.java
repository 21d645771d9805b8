package io.stele.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.time.Clock;
import io.stele.it.metastore.TestNetwork;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three members of the metastore, two of which may be the master, and four tablet servers: whatever
 * befalls them, clients that go on find nothing lost, torn or done twice.
 */
class ClusterFaultsIT {
  private static final Duration PATIENT = Duration.ofSeconds(60);
  private static final Duration IMPATIENT = Duration.ofSeconds(3);

  @Test
  @Timeout(value = 6, unit = TimeUnit.MINUTES)
  void nothingIsLostTornOrDoneTwiceWhileServersFail() throws Exception {
    run("faults", Duration.ofSeconds(30));
  }

  @Test
  @Tag("long")
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void nothingIsLostTornOrDoneTwiceOverManyFaults() throws Exception {
    run("many-faults", Duration.ofMinutes(30));
  }

  private static void run(String name, Duration least) throws Exception {
    long seed = Long.getLong("stele.seed", Clock.system().nanos());
    System.out.println("seed " + seed);
    Setup setup = Setup.of(name, 4).withMembers(3).withNetwork(TestNetwork.open());
    try (TabletCluster cluster = TabletCluster.start(setup);
        Workloads workloads = new Workloads(cluster, seed);
        Upkeep upkeep = new Upkeep(cluster, seed + 1)) {
      workloads.create();
      workloads.start(PATIENT, IMPATIENT);
      upkeep.start();
      Harm harm = new Harm(cluster, seed + 2);
      harm.run(
          harm.possible(),
          least,
          () -> {
            workloads.requireWorking();
            upkeep.requireWorking();
          });
      String story = harm + "; " + upkeep;
      System.out.println(story);
      upkeep.stopAndCheck(story);
      workloads.stopAndCheck(story);
      assertThat(workloads.answers()).isGreaterThan(least.toSeconds());
    }
  }
}
