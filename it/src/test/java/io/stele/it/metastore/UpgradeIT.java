package io.stele.it.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.it.process.FaultRun;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.run.Seed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Members that agree to the first cluster version only are replaced by newer ones under load. */
@Timeout(600)
class UpgradeIT {
  private static final String OLD = "metastore.storage.newest-version=1";
  private static final String NEW = "metastore.storage.newest-version=3";
  private static final String RAISED = "the group is at cluster version 3";

  private static boolean isRaised(SteleCluster cluster, int number) {
    try {
      return Files.readString(cluster.server(number).logFile()).contains(RAISED);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @Tag(LongRun.TAG)
  void membersAreUpgradedOneByOneWhileClientsWork() throws Exception {
    long seed = Seed.varied(UpgradeIT.class);
    try (SteleCluster cluster =
            SteleCluster.named("upgrade").with(3, "metastore").set(OLD).start();
        FaultyRun work = new FaultyRun(cluster, seed, 4)) {
      FaultRun run = new FaultRun(cluster, seed, FaultsIT.LENGTHS, cluster::awaitProgress);
      work.start();
      int leader = cluster.awaitLeader();
      List<Integer> order = new ArrayList<>(cluster.otherMembers(leader));
      order.add(leader);
      for (int member : order) {
        for (int each : order) {
          assertThat(isRaised(cluster, each))
              .as("member %d still is the old one", member)
              .isFalse();
        }
        cluster.restart(member, NEW);
        run.note("member " + member + " was upgraded");
        cluster.awaitProgress();
        work.requireWorking();
      }
      await("the new version at all members; logs in " + cluster.logs())
          .atMost(SteleCluster.RECOVERY)
          .until(() -> order.stream().allMatch(member -> isRaised(cluster, member)));
      cluster.awaitProgress();
      work.checkAll(UpgradeIT.class, run, LongRun::record);
    }
  }
}
