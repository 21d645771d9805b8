package io.stele.it.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.SteleException;
import io.stele.base.process.ServerProcess;
import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Member;
import io.stele.client.metastore.MetastoreClient;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.process.DiskFault;
import io.stele.testkit.run.LongRun;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/** Promises of a group of one, and how it becomes a group of three, in the end. */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Order(5)
class OneMemberIT {
  private static final Set<Integer> ACKNOWLEDGED = ConcurrentHashMap.newKeySet();
  private static final AtomicInteger NEXT = new AtomicInteger();

  private static SteleCluster cluster;

  @BeforeAll
  static void start() {
    cluster = SteleCluster.named("one-member").with(1, "metastore").start();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static ServerProcess member() {
    return cluster.server(0);
  }

  @Test
  @Order(1)
  void nothingIsAcknowledgedBeforeItIsOnTheDisk() {
    DiskFault.require();
    Duration delay = Duration.ofMillis(400);
    try (Stele stele = cluster.client()) {
      stele.metastore().put("/slow", "the connection is open");
      try (DiskFault _ = DiskFault.slow(member(), delay)) {
        for (int i = 0; i < 3; i++) {
          long start = Clock.system().nanos();
          stele.metastore().put("/slow", "value " + i);
          assertThat(Duration.ofNanos(Clock.system().nanos() - start))
              .as("put %d, with a disk that takes %s", i, delay)
              .isGreaterThanOrEqualTo(delay);
        }
      }
    }
  }

  @Test
  @Order(2)
  void aFailedSyncIsNoAcknowledgement() {
    DiskFault.require();
    try (Stele stele = cluster.client(0, FaultyRun.IMPATIENT)) {
      stele.metastore().put("/sync", "before");
      try (DiskFault _ = DiskFault.failing(member())) {
        assertThatThrownBy(() -> stele.metastore().put("/sync", "lost, or not"))
            .isInstanceOf(SteleException.class);
        member().kill();
      }
      member().start();
      cluster.awaitProgress();
      assertThat(stele.metastore().get("/sync").map(KeyValue::text).orElse("(absent)"))
          .isIn("before", "lost, or not");
    }
  }

  @Test
  @Order(3)
  void whatWasAcknowledgedSurvivesCrashAfterCrash() throws Exception {
    try (Stele stele = cluster.client(0, FaultyRun.IMPATIENT)) {
      for (int round = 1; round <= 2; round++) {
        Workers writers = writers(stele.metastore());
        awaitMoreWork();
        member().kill();
        writers.stop();
        member().start();
        cluster.awaitProgress();
        FaultyRun.checkKept(stele.metastore(), "/crash/", ACKNOWLEDGED);
      }
    }
  }

  @Test
  @Order(4)
  @Tag(LongRun.TAG)
  void growsToThreeMembersUnderLoad() throws Exception {
    try (Stele stele = cluster.client()) {
      MetastoreClient client = stele.metastore();
      Workers writers = writers(client);
      awaitMoreWork();
      for (int i = 1; i <= 2; i++) {
        String address = cluster.server(cluster.startAnother("metastore")).address();
        assertThat(client.admin().add(address))
            .extracting(Member::serviceAddress)
            .contains(address);
      }
      awaitMoreWork();
      writers.stop();
      assertThat(client.admin().members()).hasSize(3);
      FaultyRun.checkKept(client, "/crash/", ACKNOWLEDGED);

      // The first one is no longer needed.
      member().kill();
      cluster.awaitProgress();
      try (Stele others = cluster.client(1)) {
        FaultyRun.checkKept(others.metastore(), "/crash/", ACKNOWLEDGED);
      }
    }
  }

  private static void awaitMoreWork() {
    int enough = ACKNOWLEDGED.size() + 50;
    await("50 more puts that are acknowledged")
        .atMost(SteleCluster.RECOVERY)
        .until(() -> ACKNOWLEDGED.size() >= enough);
  }

  private static Workers writers(MetastoreClient client) {
    Workers writers = new Workers("writers", 1);
    for (int i = 0; i < 4; i++) {
      writers.start(
          random -> {
            int number = NEXT.getAndIncrement();
            try {
              client.put("/crash/" + number, "value " + number);
              ACKNOWLEDGED.add(number);
            } catch (SteleException e) {
              writers.refused();
            }
          });
    }
    return writers;
  }
}
