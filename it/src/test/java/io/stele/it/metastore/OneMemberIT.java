package io.stele.it.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stele.base.error.SteleException;
import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Member;
import io.stele.client.metastore.MetastoreClient;
import io.stele.it.Programs;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Promises of a group of one, and how it becomes a group of three. */
@Timeout(300)
class OneMemberIT {

  @Test
  void whatWasAcknowledgedSurvivesCrashAfterCrash() throws Exception {
    Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
    AtomicInteger next = new AtomicInteger();
    try (TestCluster cluster = TestCluster.start("crashes", 1);
        Stele stele = cluster.client(0, FaultyRun.IMPATIENT)) {
      for (int round = 1; round <= 3; round++) {
        int enough = round * 50;
        Workers writers = writers(stele.metastore(), acknowledged, next);
        await("work").atMost(TestCluster.RECOVERY).until(() -> acknowledged.size() >= enough);
        cluster.member(0).kill9();
        writers.stop();
        cluster.member(0).start();
        cluster.awaitProgress();
        FaultyRun.checkKept(stele.metastore(), "/crash/", acknowledged);
      }
    }
  }

  @Test
  void nothingIsAcknowledgedBeforeItIsOnTheDisk() throws Exception {
    assumeSlowDisk();
    Duration delay = Duration.ofMillis(400);
    try (TestCluster cluster = TestCluster.start("slow-disk", 1);
        Stele stele = cluster.client(0)) {
      stele.metastore().put("/slow", "the way there is open");
      cluster.member(0).slowDownDisk(delay);
      for (int i = 0; i < 3; i++) {
        long start = Clock.system().nanos();
        stele.metastore().put("/slow", "value " + i);
        assertThat(Duration.ofNanos(Clock.system().nanos() - start))
            .as("put %d, with a disk that takes %s", i, delay)
            .isGreaterThanOrEqualTo(delay);
      }
    }
  }

  @Test
  void aFailedSyncIsNoAcknowledgement() throws Exception {
    assumeSlowDisk();
    try (TestCluster cluster = TestCluster.start("failed-sync", 1);
        Stele stele = cluster.client(0, FaultyRun.IMPATIENT)) {
      stele.metastore().put("/sync", "before");
      cluster.member(0).failSyncs();
      assertThatThrownBy(() -> stele.metastore().put("/sync", "lost, or not"))
          .isInstanceOf(SteleException.class);
      cluster.member(0).kill9();
      cluster.member(0).start();
      cluster.awaitProgress();
      assertThat(stele.metastore().get("/sync").map(KeyValue::text).orElse("(absent)"))
          .isIn("before", "lost, or not");
    }
  }

  @Test
  void growsToThreeMembersUnderLoad() throws Exception {
    Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
    AtomicInteger next = new AtomicInteger();
    try (TestCluster cluster = TestCluster.start("growing", 1);
        Stele stele = cluster.client(0)) {
      MetastoreClient client = stele.metastore();
      Workers writers = writers(client, acknowledged, next);
      await("work").atMost(TestCluster.RECOVERY).until(() -> acknowledged.size() >= 50);
      for (int i = 1; i <= 2; i++) {
        String address = cluster.member(cluster.startAnother()).address();
        assertThat(client.admin().add(address))
            .extracting(Member::serviceAddress)
            .contains(address);
      }
      int before = acknowledged.size();
      await("work goes on").atMost(TestCluster.RECOVERY).until(() -> acknowledged.size() > before);
      writers.stop();
      assertThat(client.admin().members()).hasSize(3);
      FaultyRun.checkKept(client, "/crash/", acknowledged);

      // The first one is no longer needed.
      cluster.member(0).kill9();
      cluster.awaitProgress();
      try (Stele others = cluster.client(1)) {
        FaultyRun.checkKept(others.metastore(), "/crash/", acknowledged);
      }
    }
  }

  private static Workers writers(
      MetastoreClient client, Set<Integer> acknowledged, AtomicInteger next) {
    Workers writers = new Workers("writers", 1);
    for (int i = 0; i < 4; i++) {
      writers.start(
          random -> {
            int number = next.getAndIncrement();
            try {
              client.put("/crash/" + number, "value " + number);
              acknowledged.add(number);
            } catch (SteleException e) {
              writers.refused();
            }
          });
    }
    return writers;
  }

  private static void assumeSlowDisk() {
    assumeTrue(
        Programs.isRoot() && Programs.exists("strace"),
        "a disk is slowed down by strace, which is not there, or by root only");
  }
}
