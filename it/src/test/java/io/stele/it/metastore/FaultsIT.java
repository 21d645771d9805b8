package io.stele.it.metastore;

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
 * What clients see while members are killed, paused, cut off and replaced, for long. {@link
 * ThreeMembersIT} does the same for seconds.
 */
class FaultsIT {
  /** Longer than a session of the workloads lives. */
  static final FaultRun.Lengths LENGTHS = FaultRun.Lengths.of(Duration.ofSeconds(3));

  /** Those of a short run. */
  static final List<Fault> FEW =
      List.of(
          Fault.of(Kind.KILL, Victim.ALL_MEMBERS),
          Fault.of(Kind.PAUSE, Victim.LEADER),
          Fault.of(Kind.ISOLATE, Victim.LEADER),
          Fault.of(Kind.REPLACE, Victim.MEMBER));

  private static final int DISK_MEGABYTES = 200;

  private static final List<Fault> ALL =
      List.of(
          Fault.of(Kind.KILL, Victim.LEADER),
          Fault.of(Kind.KILL, Victim.FOLLOWER),
          Fault.of(Kind.KILL, Victim.ALL_MEMBERS),
          Fault.of(Kind.PAUSE, Victim.LEADER),
          Fault.of(Kind.PAUSE, Victim.FOLLOWER),
          Fault.of(Kind.ISOLATE, Victim.LEADER),
          Fault.of(Kind.ISOLATE, Victim.FOLLOWER),
          Fault.of(Kind.CUT_ONE_WAY, Victim.LEADER),
          Fault.of(Kind.SLOW_DISK, Victim.MEMBER),
          Fault.of(Kind.FULL_DISK, Victim.LEADER),
          Fault.of(Kind.FULL_DISK, Victim.FOLLOWER),
          Fault.of(Kind.REPLACE, Victim.MEMBER));

  @Test
  @Tag(LongRun.TAG)
  void nothingIsLostStaleOrHeldTwiceOverManyFaults() throws Exception {
    manyFaults("many-faults", 3, 32, 8);
  }

  @Test
  @Tag(LongRun.TAG)
  void noMoreIsLostByFiveMembers() throws Exception {
    manyFaults("five-members", 5, 8, 7, SLOW_ELECTIONS);
  }

  /** Five members pause each other for longer than others wait for an election. */
  private static final String[] SLOW_ELECTIONS = {
    "metastore.raft.election-min=3s", "metastore.raft.election-max=5s", "metastore.raft.request=6s"
  };

  private static void manyFaults(
      String name, int members, int workers, int percent, String... settings) throws Exception {
    try (SteleCluster cluster =
        SteleCluster.named(name)
            .with(members, "metastore")
            .set(settings)
            .on(Network.open())
            .onDisksOf(DISK_MEGABYTES)
            .start()) {
      long seed = Seed.varied(FaultsIT.class);
      run(cluster, seed, ALL, LongRun.share(percent), workers, LongRun::record);
    }
  }

  /**
   * Fails if a promise is broken.
   *
   * @param workers of single keys, for each client
   * @param report takes what was found before it fails because of it
   */
  static void run(
      SteleCluster cluster,
      long seed,
      List<Fault> faults,
      Duration least,
      int workers,
      Consumer<LongRun.Outcome> report)
      throws Exception {
    FaultRun run = new FaultRun(cluster, seed, LENGTHS, cluster::awaitProgress);
    try (FaultyRun work = new FaultyRun(cluster, seed, workers)) {
      work.start();
      run.watch(work.gap());
      run.run(faults, least, work::requireWorking);
      work.checkAll(FaultsIT.class, run, report);
    }
  }
}
