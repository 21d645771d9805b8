package io.stele.it.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.cell.Cell;
import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.it.metastore.TestNetwork;
import io.stele.it.replicas.ReplicaHarm.Fault;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Five servers with local disks alone, one or three of them the metastore too: whatever befalls
 * them, in the end all replicas have the same, and in it every write that a majority has
 * acknowledged.
 */
class ReplicaFaultsIT {
  private static final int SERVERS = 5;

  /** Splits on a machine that does nothing else take a fraction of it. */
  private static final Duration LONGEST_GAP = Duration.ofSeconds(5);

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void replicasAreTheSameAndNothingIsLostWhileServersFail() throws Exception {
    run("replica-faults", 1, ReplicaHarm.FEW, Duration.ZERO);
  }

  @Test
  @Tag("long")
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void replicasAreTheSameAndNothingIsLostOverManyFaults() throws Exception {
    run("replica-many-faults", 3, ReplicaHarm.ALL, Duration.ofMinutes(30));
  }

  /** Rounds with tables of their own, until so much time has passed; one at least. */
  private static void run(String name, int members, List<Fault> faults, Duration least)
      throws Exception {
    long seed = Long.getLong("stele.seed", Clock.system().nanos());
    System.out.println("seed " + seed);
    long start = Clock.system().nanos();
    try (ReplicaCluster cluster =
        ReplicaCluster.start(name, SERVERS, members, TestNetwork.open())) {
      do {
        round(cluster, faults, seed++);
      } while (Clock.system().nanos() - start < least.toNanos());
    }
  }

  private static void round(ReplicaCluster cluster, List<Fault> faults, long seed)
      throws Exception {
    ReplicaHarm harm = new ReplicaHarm(cluster, seed);
    try (Load load = new Load(cluster, seed + 1);
        Splits splits = new Splits(cluster, load, seed + 2)) {
      load.createTables();
      load.start();
      Duration gap = splits.splitUnderWrites();
      System.out.println("longest without a write to a half: " + gap.toMillis() + " ms");
      assertThat(gap).isLessThan(LONGEST_GAP);
      splits.startStorm();
      harm.run(
          faults,
          () -> {
            load.requireWorking();
            splits.requireWorking();
          });
      splits.stopStorm();
      load.stop();
      String where = "seed %d; %s; logs in %s".formatted(seed, harm, cluster.logs());
      System.out.println(where);
      check(cluster, load, where);
      assertThat(splits.begun()).as(where).isPositive();
      load.dropTables();
    }
  }

  /** What was sent on by one that is late may still be on its way to some. */
  private static void check(ReplicaCluster cluster, Load load, String where) {
    cluster.awaitSettled(Load.TABLES);
    try (Stele stele = cluster.client()) {
      await("replicas that are the same")
          .atMost(ReplicaCluster.RECOVERY)
          .untilAsserted(
              () -> {
                for (String table : Load.TABLES) {
                  EveryReplica.requireIdentical(stele, table, where);
                }
              });
      List<Cell> list = EveryReplica.requireIdentical(stele, Load.LIST, where);
      List<Cell> stamped = EveryReplica.requireIdentical(stele, Load.STAMPED, where);
      System.out.printf("%d and %d cells on every replica%n", list.size(), stamped.size());
      load.check(list, stamped, where);
    }
  }
}
