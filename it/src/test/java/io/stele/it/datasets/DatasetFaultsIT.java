package io.stele.it.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.VersionState;
import io.stele.client.Stele;
import io.stele.it.process.ServerPack;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.run.LongRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Four nodes, each a process, and what befalls them. Each test has a dataset of its own, which no
 * other notices, and leaves all nodes running.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
@Order(2)
class DatasetFaultsIT {
  private static final int NODES = 4;
  private static final int SHARDS = 8;
  private static final Duration PATIENCE = SteleCluster.RECOVERY;

  /** How many nodes join late, all in one process. */
  private static final int LATE = 2;

  /** A dataset that is there before any node is. */
  private static final String EARLY = "early";

  @TempDir static Path folder;

  private static DatasetNodes cluster;

  @BeforeAll
  static void start() {
    Source source = new Source(folder);
    source.write(EARLY, "v1", SHARDS);
    cluster = DatasetNodes.start("dataset-faults", source, NODES);
  }

  @AfterAll
  static void end() {
    if (cluster != null) {
      cluster.cluster().close();
    }
  }

  @AfterEach
  void restore() {
    cluster.restore();
  }

  /** Writes a first version and waits until all its shards are everywhere they should be. */
  private static void serve(String dataset) {
    cluster.source().write(dataset, "v1", SHARDS);
    cluster.awaitVersion(dataset, "v1");
    cluster.awaitHolders(dataset, "v1", SHARDS, DatasetNodes.REPLICATION);
  }

  @Test
  void nodesThatStartTogetherShareWhatIsThereAndWhatComes() {
    cluster.awaitVersion(EARLY, "v1");
    cluster.assertAllKeys(EARLY, "v1");

    // By now all know each other, however slowly some of them started.
    serve("shared");
    Map<String, List<Integer>> shards = cluster.shards(3, "shared", "v1");
    assertThat(shards.keySet()).containsExactlyInAnyOrderElementsOf(cluster.addresses());
    assertThat(shards.values())
        .as("dealt out evenly: %s", shards)
        .allMatch(held -> held.size() == SHARDS * DatasetNodes.REPLICATION / NODES);
    cluster.assertAllKeys("shared", "v1");
  }

  @Test
  void noClientSeesAnOlderVersionAgainOrTwoAtOnce() throws Exception {
    serve("upgraded");
    List<Progression> readers = new ArrayList<>();
    try {
      cluster.addresses().forEach(address -> readers.add(new Progression(address, "upgraded")));
      readers.forEach(reader -> reader.await("v1"));
      for (String version : List.of("v2", "v3")) {
        cluster.source().write("upgraded", version, SHARDS + 1);
        readers.forEach(reader -> reader.await(version));
        readers.forEach(reader -> reader.awaitMore(20));
      }
    } finally {
      readers.forEach(Progression::close);
    }
    assertThat(readers)
        .allSatisfy(
            reader -> {
              assertThat(reader.wrong()).as("of %d answers", reader.answers()).isEmpty();
              assertThat(reader.versions()).containsExactly("v1", "v2", "v3");
            });
    for (int i = 1; i <= NODES; i++) {
      var old = cluster.node(i).data().resolve("dataset-shards/upgraded/v1");
      await(old + " to be deleted").atMost(PATIENCE).until(() -> !Files.exists(old));
    }
  }

  @Test
  void aLostNodeIsMissedByNobodyAndMovesNoShards() {
    serve("lost");
    Map<String, List<Integer>> before = cluster.shards(1, "lost", "v1");
    String lost = cluster.address(4);
    cluster.node(4).kill();
    cluster.assertAllKeys("lost", "v1");
    await("the others know that it is gone")
        .atMost(PATIENCE)
        .until(() -> !cluster.shards(1, "lost", "v1").containsKey(lost));
    Map<String, List<Integer>> after = cluster.shards(1, "lost", "v1");
    assertThat(before).containsAllEntriesOf(after);
    cluster.assertAllKeys("lost", "v1");

    cluster.node(4).start();
    DatasetNodes.awaitVersion(List.of(lost), "lost", "v1");
    cluster.awaitHolders("lost", "v1", SHARDS, DatasetNodes.REPLICATION);
    assertThat(cluster.shards(1, "lost", "v1")).isEqualTo(before);
    assertThat(cluster.node(4).log())
        .as("what it has is not loaded again")
        .containsOnlyOnce("dataset lost: loaded ");
  }

  @Test
  @Tag(LongRun.TAG)
  void lateNodesAnswerEverythingAtOnceAndTakeTheirShareOfTheNextVersion() {
    serve("joined");
    // So many start on few cores that their sessions must last longer.
    try (ServerPack late = cluster.pack("late", LATE, "datasets.session=10s")) {
      late.launch();
      late.awaitReady();
      List<String> addresses = late.addresses("datasets");
      DatasetNodes.awaitVersion(addresses, "joined", "v1");
      DatasetNodes.assertAllKeys(addresses, "joined", "v1");
      awaitShareOf(addresses, "v1");
      cluster.source().write("joined", "v2", SHARDS);
      cluster.awaitVersion("joined", "v2");
      DatasetNodes.awaitVersion(addresses, "joined", "v2");
      awaitShareOf(addresses, "v2");
      DatasetNodes.assertAllKeys(addresses, "joined", "v2");
      cluster.assertAllKeys("joined", "v2");
      late.stop(PATIENCE);
    }
  }

  private static void awaitShareOf(List<String> nodes, String version) {
    await("all new nodes have shards of " + version)
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              Map<String, List<Integer>> shards = cluster.shards(1, "joined", version);
              assertThat(nodes)
                  .as("%s", shards)
                  .allMatch(node -> !shards.getOrDefault(node, List.of()).isEmpty());
            });
  }

  @Test
  void whoDoesNotAnswerIsNotWaitedFor() {
    serve("slow");
    cluster.node(2).pause();
    // Longer than its session: at first it is asked in vain, and then no more.
    whileItsSessionEnds(() -> cluster.assertAllKeys("slow", "v1"));
    cluster.node(2).resume();
    cluster.awaitHolders("slow", "v1", SHARDS, DatasetNodes.REPLICATION);
    cluster.assertAllKeys("slow", "v1");
  }

  /** Checks something now and then until a session has ended that nobody renews. */
  private static void whileItsSessionEnds(ThrowingRunnable check) {
    await("a session to end")
        .pollInterval(Duration.ofMillis(200))
        .during(DatasetNodes.SESSION.plusSeconds(1))
        .atMost(PATIENCE)
        .failFast(check)
        .until(() -> true);
  }

  @Test
  void withoutTheMetastoreEverythingIsReadAndAfterwardsAllIsPublishedAgain() {
    serve("orphaned");
    cluster.source().write("pinned", "v1", SHARDS);
    cluster.source().write("pinned", "v2", SHARDS);
    cluster.awaitVersion("pinned", "v2");
    cluster.with(
        1,
        stele -> {
          stele.datasets().pin("pinned", "v1");
          return true;
        });
    cluster.awaitVersion("pinned", "v1");

    cluster.wipeMetastore();
    whileItsSessionEnds(
        () -> {
          cluster.assertAllKeys("orphaned", "v1");
          cluster.assertAllKeys("pinned", "v1");
        });

    cluster.metastore().start();
    cluster.source().write("orphaned", "v2", SHARDS);
    cluster.awaitVersion("orphaned", "v2");
    cluster.awaitHolders("orphaned", "v2", SHARDS, DatasetNodes.REPLICATION);
    cluster.assertAllKeys("orphaned", "v2");
    cluster.assertAllKeys("pinned", "v1");
    assertThat(cluster.status(3, "pinned").pinned()).as("a pin outlives it").isEqualTo("v1");
    try (Stele stele = Stele.connect(cluster.metastore().address())) {
      await("the pin is recorded again")
          .atMost(PATIENCE)
          .until(() -> stele.metastore().get("/stele/datasets/it/pins/pinned").isPresent());
    }
  }

  @Test
  void aDamagedVersionLeavesTheOldOneAndOthersAlone() {
    serve("damaged");
    serve("healthy");
    String file = cluster.source().writeCut("damaged", "v2", SHARDS);
    cluster.source().write("healthy", "v2", SHARDS);
    cluster.awaitVersion("healthy", "v2");
    await("the file is named")
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(cluster.status(1, "damaged").versions().getLast().nodes())
                    .anyMatch(node -> names(node, file)));
    cluster.assertAllKeys("damaged", "v1");
    cluster.assertAllKeys("healthy", "v2");
    assertThat(new Reader(cluster.address(1)).page("healthz").status()).isEqualTo(200);

    cluster.source().write("damaged", "v3", SHARDS);
    cluster.awaitVersion("damaged", "v3");
    cluster.assertAllKeys("damaged", "v3");
  }

  private static boolean names(NodeVersion node, String file) {
    return node.state() == VersionState.ERROR && node.reason().contains(file);
  }
}
