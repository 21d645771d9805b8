package io.stele.it.cluster;

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
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three members of the metastore, two of which may be the master, and four tablet servers: whatever
 * befalls them, clients that go on find nothing lost, torn or done twice. {@link TabletClusterIT}
 * does the same for seconds.
 */
class ClusterFaultsIT {
  /** Those of a short run. */
  static final List<Fault> FEW =
      List.of(
          Fault.of(Kind.KILL, Victim.TWO_SERVERS),
          Fault.of(Kind.ISOLATE, Victim.SERVER),
          Fault.of(Kind.STOP, Victim.SERVER),
          Fault.of(Kind.PAUSE, Victim.MASTER));

  private static final List<Fault> ALL =
      List.of(
          Fault.of(Kind.KILL, Victim.SERVER),
          Fault.of(Kind.KILL, Victim.TWO_SERVERS),
          Fault.of(Kind.PAUSE, Victim.SERVER),
          Fault.of(Kind.ISOLATE, Victim.SERVER),
          Fault.of(Kind.STOP, Victim.SERVER),
          Fault.of(Kind.KILL, Victim.MASTER),
          Fault.of(Kind.PAUSE, Victim.MASTER),
          Fault.of(Kind.KILL, Victim.LEADER));

  private static final Duration PATIENT = Duration.ofSeconds(90);
  private static final Duration IMPATIENT = Duration.ofSeconds(3);

  @Test
  @Tag(LongRun.TAG)
  void nothingIsLostTornOrDoneTwiceOverManyFaults() throws Exception {
    try (SteleCluster cluster =
        Tablets.plan("many-cluster-faults", 3, 4).on(Network.open()).start()) {
      run(
          new Tablets(cluster),
          Seed.varied(ClusterFaultsIT.class),
          ALL,
          Tablets.SESSION.multipliedBy(2),
          LongRun.share(20),
          Duration.ofMillis(6),
          LongRun::record);
    }
  }

  /**
   * Fails if a promise is broken.
   *
   * @param length of pauses and cuts: long enough for others to notice, and to take over
   * @param pace the pause between two steps of a worker
   * @param report takes what was found before it fails because of it
   */
  static void run(
      Tablets tablets,
      long seed,
      List<Fault> faults,
      Duration length,
      Duration least,
      Duration pace,
      Consumer<LongRun.Outcome> report)
      throws Exception {
    tablets.await();
    FaultRun run = new FaultRun(tablets.cluster(), seed, FaultRun.Lengths.of(length), tablets);
    try (Workloads workloads = new Workloads(tablets, seed, pace);
        Upkeep upkeep = new Upkeep(tablets, seed + 1)) {
      workloads.create();
      run.watch(workloads.gap());
      workloads.start(PATIENT, IMPATIENT);
      upkeep.start();
      run.run(
          faults,
          least,
          () -> {
            workloads.requireWorking();
            upkeep.requireWorking();
          });
      String story = run + "; " + upkeep;
      System.out.println(story);
      System.out.println(run.times());
      upkeep.stopAndCheck(story);
      workloads.stopAndCheck(run, story, report);
      workloads.drop();
    }
  }
}
