package io.stele.it.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.cell.Cell;
import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.it.process.Fault;
import io.stele.it.process.Fault.Kind;
import io.stele.it.process.Fault.Victim;
import io.stele.it.process.FaultRun;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.process.Network;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.run.Seed;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Servers with local disks alone, one or three of them the metastore too: whatever befalls them, in
 * the end all replicas have the same, and in it every write that a majority has acknowledged.
 */
@Order(4)
class ReplicaFaultsIT {
  /** Splits on a machine that does nothing else take a fraction of it. */
  private static final Duration LONGEST_GAP = Duration.ofSeconds(5);

  /** Those of a short run. */
  private static final List<Fault> FEW =
      List.of(
          Fault.of(Kind.KILL, Victim.ANY_TWO),
          Fault.of(Kind.ISOLATE, Victim.ANY),
          Fault.of(Kind.WIPE, Victim.ANY),
          Fault.of(Kind.REPLACE, Victim.SERVER));

  private static final List<Fault> ALL =
      List.of(
          Fault.of(Kind.KILL, Victim.ANY),
          Fault.of(Kind.KILL, Victim.ANY_TWO),
          Fault.of(Kind.KILL, Victim.LEADER),
          Fault.of(Kind.PAUSE, Victim.ANY),
          Fault.of(Kind.ISOLATE, Victim.ANY),
          Fault.of(Kind.WIPE, Victim.ANY),
          Fault.of(Kind.REPLACE, Victim.SERVER));

  /**
   * Killed servers are back before others take their place: what they missed must be sent to them.
   * Pauses end before anybody has noticed, or when others are about to take the server's place.
   */
  private static final FaultRun.Lengths LENGTHS =
      new FaultRun.Lengths(
          Duration.ofSeconds(1),
          Duration.ofMillis(500),
          ReplicaTables.SESSION.plus(ReplicaTables.DEAD_AFTER).plusSeconds(1));

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void replicasAreTheSameAndNothingIsLostWhileServersFail() throws Exception {
    long seed = Seed.of(ReplicaFaultsIT.class, 1);
    ReplicaTables tables = ReplicaTables.start("replica-faults", 4, 1, Network.open());
    try (SteleCluster _ = tables.cluster()) {
      round(tables, FEW, seed);
    }
  }

  /** Rounds with tables of their own, until the time is over. */
  @Test
  @Tag(LongRun.TAG)
  void replicasAreTheSameAndNothingIsLostOverManyFaults() throws Exception {
    long seed = Seed.varied(ReplicaFaultsIT.class);
    Duration least = LongRun.share(20);
    long start = Clock.system().nanos();
    long operations = 0;
    long faults = 0;
    long violations = 1; // until all rounds are over
    Duration gap = Duration.ZERO;
    ReplicaTables tables = ReplicaTables.start("replica-many-faults", 5, 3, Network.open());
    try (SteleCluster _ = tables.cluster()) {
      for (long n = 0; Clock.system().nanos() - start < least.toNanos(); n++) {
        Round round = round(tables, ALL, seed + n);
        operations += round.operations;
        faults += round.faults;
        gap = gap.compareTo(round.gap) > 0 ? gap : round.gap;
      }
      violations = 0;
    } finally {
      Duration time = Duration.ofNanos(Clock.system().nanos() - start);
      LongRun.record(
          new LongRun.Outcome(
              ReplicaFaultsIT.class.getSimpleName(),
              seed,
              time,
              operations,
              faults,
              violations,
              gap));
    }
  }

  private record Round(long operations, long faults, Duration gap) {}

  private static Round round(ReplicaTables tables, List<Fault> faults, long seed) throws Exception {
    FaultRun run = new FaultRun(tables.cluster(), seed, LENGTHS, tables);
    try (Load load = new Load(tables, seed + 1);
        Splits splits = new Splits(tables, load, seed + 2)) {
      load.createTables();
      load.start();
      Duration gap = splits.splitUnderWrites();
      System.out.println("longest without a write to a half: " + gap.toMillis() + " ms");
      assertThat(gap).isLessThan(LONGEST_GAP);
      splits.startStorm();
      run.run(
          faults,
          Duration.ZERO,
          () -> {
            load.requireWorking();
            splits.requireWorking();
          });
      splits.stopStorm();
      Duration longest = load.stop();
      String where = "seed %d; %s; logs in %s".formatted(seed, run, tables.cluster().logs());
      System.out.println(where);
      check(tables, load, where);
      assertThat(splits.begun()).as(where).isPositive();
      load.dropTables();
      return new Round(load.answers(), run.injected(), longest);
    }
  }

  /** What was sent on by one that is late may still be on its way to some. */
  private static void check(ReplicaTables tables, Load load, String where) {
    tables.awaitSettled();
    try (Stele stele = tables.cluster().client()) {
      await("replicas that are the same")
          .atMost(SteleCluster.RECOVERY)
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
