package io.stele.it.cluster;

import io.stele.client.Stele;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.process.Network;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.run.Seed;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three members of the metastore, two of which may be the master, and three tablet servers. Each
 * test has tables of its own, and leaves all servers running.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Order(1)
class TabletClusterIT {
  private static SteleCluster cluster;
  private static Tablets tablets;

  @BeforeAll
  static void start() {
    cluster = Tablets.plan("tablets", 3, 3).on(Network.open()).start();
    tablets = new Tablets(cluster);
    tablets.await();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  @Tag(LongRun.TAG)
  void filesAreDeletedOnceNothingNeedsThem() throws Exception {
    try (Stele stele = cluster.client()) {
      new FileCollection(tablets, stele).run();
    }
  }

  @Test
  void aServerThatWakesUpAcknowledgesNothingAndStartsAgain() throws Exception {
    try (Stele stele = cluster.client()) {
      new ZombieOwner(tablets, stele).run();
    }
  }

  @Test
  void nothingIsLostTornOrDoneTwiceWhileServersFail() throws Exception {
    ClusterFaultsIT.run(
        tablets,
        Seed.of(ClusterFaultsIT.class, 1),
        ClusterFaultsIT.FEW,
        Tablets.SESSION.plusSeconds(1),
        Duration.ZERO,
        Duration.ofMillis(120),
        outcome -> {});
  }
}
