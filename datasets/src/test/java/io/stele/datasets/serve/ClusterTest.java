package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.VersionState;
import io.stele.base.dataset.VersionStatus;
import io.stele.base.settings.ByteSize;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a cluster does, sentence by sentence of the design; nodes, map and peers in one thread. */
class ClusterTest {
  @TempDir private Path data;
  private TestCluster cluster;

  @BeforeEach
  void open() {
    cluster = new TestCluster(data, 7);
  }

  @AfterEach
  void close() throws IOException {
    cluster.close();
  }

  private void assertAllServe(String version, int keys) {
    for (TestCluster.Member node : cluster.members.values()) {
      assertThat(node.serving()).as(node.address).isEqualTo(version);
      for (int i = 0; i < keys; i++) {
        assertThat(node.ask("k" + i)).as(node.address).isEqualTo(version + ":" + i);
      }
      assertThat(node.ask("none")).isEqualTo("missing in " + version);
    }
  }

  @Test
  void nodesShareTheShardsByTheFormulaAndServeAllKeys() throws Exception {
    cluster.with(TestCluster.settings(3, 1)).write("v1", 5, 100);
    List<TestCluster.Member> nodes = cluster.start(5);
    cluster.settle();
    assertThat(nodes.stream().map(node -> node.shards("v1")))
        .containsExactly(
            List.of(0, 1, 3),
            List.of(0, 2, 3),
            List.of(0, 2, 4),
            List.of(1, 2, 4),
            List.of(1, 3, 4));
    assertAllServe("v1", 100);
    assertThat(cluster.map.holders("scores", "v1"))
        .hasSize(15)
        .contains("00000@n01:1", "00004@n05:1");
    assertThat(cluster.map.children("nodes")).hasSize(5).containsKey("n01:1");
  }

  @Test
  void thirtyNodesStart() throws Exception {
    cluster.write("v1", 6, 60);
    cluster.start(30);
    cluster.settle();
    assertAllServe("v1", 60);
  }

  @Test
  void aStartingNodeWaitsUntilTheNodesHaveBeenCalm() throws Exception {
    DatasetSettings calm =
        new DatasetSettings(
            false,
            Duration.ZERO,
            1,
            1,
            Duration.ofSeconds(10),
            Duration.ofMillis(100),
            Duration.ZERO,
            Duration.ofMinutes(10),
            4,
            new ByteSize(0),
            false,
            Duration.ZERO);
    cluster.with(calm).write("v1", 4, 20);
    TestCluster.Member one = cluster.start("n1:1");
    cluster.settle();
    cluster.clock.advance(Duration.ofSeconds(9));
    TestCluster.Member two = cluster.start("n2:1");
    cluster.settle();
    cluster.clock.advance(Duration.ofSeconds(9));
    cluster.settle();
    assertThat(one.shards("v1")).isEmpty();
    cluster.clock.advance(Duration.ofSeconds(1));
    cluster.settle();
    assertThat(one.shards("v1")).containsExactly(0, 2);
    assertThat(two.shards("v1")).containsExactly(1, 3);
    assertAllServe("v1", 20);
    // Once is enough: later changes of the list hold up nothing.
    cluster.start("n3:1");
    cluster.write("v2", 2, 20);
    one.node.refresh();
    two.node.refresh();
    cluster.settle();
    assertThat(one.serving()).isEqualTo("v2");
  }

  @Test
  void aJoinerServesEveryKeyAtOnce() throws Exception {
    cluster.write("v1", 4, 40);
    cluster.start(2);
    cluster.settle();
    TestCluster.Member late = cluster.start("n99:1");
    late.loads.hold(true);
    cluster.settle();
    assertThat(late.shards("v1")).isEmpty();
    assertAllServe("v1", 40);
    Lookup lookup = late.get("k1");
    assertThat(lookup)
        .isInstanceOfSatisfying(
            Lookup.Found.class, found -> assertThat(found.origin().proxied()).isTrue());
    late.loads.hold(false);
    cluster.write("v2", 4, 40);
    cluster.refresh();
    assertThat(late.shards("v2")).isNotEmpty();
    assertAllServe("v2", 40);
  }

  @Test
  void aJoinerServesTheOldVersionWhileTheNewOneIsNotComplete() throws Exception {
    cluster.write("v1", 2, 20);
    List<TestCluster.Member> nodes = cluster.start(2);
    cluster.settle();
    nodes.forEach(node -> node.loads.hold(true));
    cluster.write("v2", 2, 20);
    cluster.refresh();
    TestCluster.Member late = cluster.start("n99:1");
    late.loads.hold(true);
    cluster.settle();
    assertAllServe("v1", 20);
    cluster.members.values().forEach(node -> node.loads.hold(false));
    cluster.settle();
    assertAllServe("v2", 20);
  }

  @Test
  void clientsSwitchExactlyWhenEveryShardHasAHolder() throws Exception {
    cluster.with(TestCluster.settings(1, 1)).write("v1", 2, 20);
    List<TestCluster.Member> nodes = cluster.start(2);
    cluster.settle();
    nodes.get(1).loads.hold(true);
    cluster.write("v2", 2, 20);
    cluster.refresh();
    assertThat(nodes.get(0).shards("v2")).containsExactly(0);
    assertAllServe("v1", 20);
    // Peers can read it before clients do.
    String key = "";
    for (int i = 0; key.isEmpty(); i++) {
      key = ("k" + i).hashCode() % 2 == 0 ? "k" + i : "";
    }
    assertThat(nodes.get(0).node.answerPeer("scores", "v2", 0, List.of(Bytes.utf8(key))))
        .containsExactly(new PeerAnswer.Found(Bytes.utf8("v2:" + key.substring(1))));
    nodes.get(1).loads.hold(false);
    cluster.settle();
    assertAllServe("v2", 20);
  }

  @Test
  void twoHoldersAreAwaitedIfTwoAreDemanded() throws Exception {
    cluster.with(TestCluster.settings(2, 2)).write("v1", 3, 20);
    List<TestCluster.Member> nodes = cluster.start(3);
    nodes.get(2).loads.hold(true);
    cluster.settle();
    assertThat(nodes.get(0).serving()).isEmpty();
    nodes.get(2).loads.hold(false);
    cluster.settle();
    assertAllServe("v1", 20);
  }

  @Test
  void theSwitchDoesNotWaitForLocalShards() throws Exception {
    cluster.write("v1", 3, 30);
    List<TestCluster.Member> nodes = cluster.start(3);
    cluster.settle();
    nodes.get(0).loads.hold(true);
    cluster.write("v2", 3, 30);
    cluster.refresh();
    assertThat(nodes.get(0).shards("v2")).isEmpty();
    assertAllServe("v2", 30);
  }

  @Test
  void aNewerCompleteVersionPreemptsOlderBuilds() throws Exception {
    cluster.write("v1", 3, 30);
    List<TestCluster.Member> nodes = cluster.start(2);
    cluster.settle();
    nodes.forEach(node -> node.loads.hold(true));
    cluster.write("v2", 3, 30);
    cluster.refresh();
    cluster.write("v3", 3, 30);
    cluster.refresh();
    assertAllServe("v1", 30);
    nodes.forEach(node -> node.loads.hold(false));
    cluster.settle();
    assertAllServe("v3", 30);
    cluster.clock.advance(Duration.ofMinutes(11));
    cluster.settle();
    for (TestCluster.Member node : nodes) {
      assertThat(node.shards("v2")).isEmpty();
      assertThat(node.shards("v1")).isEmpty();
    }
    assertThat(cluster.map.holders("scores", "v2")).isEmpty();
    assertAllServe("v3", 30);
  }

  @Test
  void aBuildThatIsOvertakenIsGivenUp() throws Exception {
    cluster.write("v1", 3, 30);
    List<TestCluster.Member> nodes = cluster.start(2);
    cluster.settle();
    nodes.get(0).loads.hold(true);
    for (String version : List.of("v2", "v3")) {
      cluster.write(version, 3, 30);
      cluster.refresh();
      assertAllServe(version, 30);
    }
    nodes.get(0).loads.hold(false);
    cluster.settle();
    assertThat(nodes.get(0).shards("v2")).isEmpty();
    assertThat(nodes.get(0).reason("v2")).isEmpty();
    assertThat(nodes.get(0).shards("v3")).hasSize(3);
    assertThat(nodes.get(1).shards("v2")).hasSize(3);
  }

  @Test
  void anOldVersionThatALaggardServesIsKeptByAll() throws Exception {
    cluster.with(TestCluster.settings(1, 1)).write("v1", 2, 20);
    List<TestCluster.Member> nodes = cluster.start(2);
    cluster.settle();
    TestCluster.Member laggard = nodes.get(0);
    laggard.session.freeze(true);
    cluster.write("v2", 2, 20);
    cluster.refresh();
    assertThat(laggard.serving()).isEqualTo("v1");
    assertThat(nodes.get(1).serving()).isEqualTo("v2");
    for (int minutes = 0; minutes < 60; minutes += 5) {
      cluster.clock.advance(Duration.ofMinutes(5));
      cluster.settle();
      for (int i = 0; i < 20; i++) {
        assertThat(laggard.ask("k" + i)).isEqualTo("v1:" + i);
        assertThat(nodes.get(1).ask("k" + i)).isEqualTo("v2:" + i);
      }
    }
    laggard.session.freeze(false);
    cluster.settle();
    assertAllServe("v2", 20);
    cluster.clock.advance(Duration.ofMinutes(10));
    cluster.settle();
    assertThat(nodes.get(1).shards("v1")).isEmpty();
  }

  @Test
  void readsGoOnWithoutTheMetastore() throws Exception {
    cluster.write("v1", 4, 40);
    cluster.start(3);
    cluster.settle();
    cluster.map.down(true);
    cluster.pins.down(true);
    cluster.clock.advance(Duration.ofDays(365));
    cluster.settle();
    assertAllServe("v1", 40);
  }

  @Test
  void aWipedMapIsRebuilt() throws Exception {
    cluster.write("v1", 4, 40);
    cluster.start(3);
    cluster.settle();
    Set<String> before = cluster.map.keys();
    cluster.map.wipe();
    cluster.settle();
    for (TestCluster.Member node : cluster.members.values()) {
      assertThat(node.serving()).isEqualTo("v1");
    }
    cluster.map.heal();
    cluster.settle();
    assertThat(cluster.map.keys()).isEqualTo(before);
    assertAllServe("v1", 40);
  }

  @Test
  void anExpiredSessionIsPublishedAnew() throws Exception {
    cluster.write("v1", 4, 40);
    List<TestCluster.Member> nodes = cluster.start(3);
    cluster.settle();
    Set<String> before = cluster.map.keys();
    nodes.get(1).session.expire();
    cluster.settle();
    assertThat(cluster.map.keys()).isEqualTo(before);
    assertAllServe("v1", 40);
  }

  @Test
  void aStaleMapGivesFailuresNeverWrongData() throws Exception {
    cluster.with(TestCluster.settings(1, 1)).write("v1", 3, 60);
    List<TestCluster.Member> nodes = cluster.start(3);
    cluster.settle();
    TestCluster.Member stale = nodes.get(0);
    stale.session.freeze(true);
    // The others go on to v2, and v1 is gone from them.
    cluster.write("v2", 3, 60);
    nodes.get(1).node.refresh();
    nodes.get(2).node.refresh();
    stale.node.refresh();
    cluster.settle();
    cluster.clock.advance(Duration.ofMinutes(20));
    cluster.settle();
    assertThat(nodes.get(1).shards("v1")).isEmpty();
    int answered = 0;
    for (int i = 0; i < 60; i++) {
      String answer = stale.ask("k" + i);
      assertThat(answer).isIn("v1:" + i, "NO_PEER in v1");
      answered += answer.startsWith("v1:") ? 1 : 0;
    }
    assertThat(answered).isBetween(1, 59);
  }

  @Test
  void theMapAndNotTheFormulaIsTheTruth() throws Exception {
    cluster.with(TestCluster.settings(1, 1)).write("v1", 2, 20);
    List<TestCluster.Member> nodes = cluster.start(2);
    cluster.settle();
    // The map names a node that has nothing, and one that is not there at all.
    cluster.map.inject("partitions/scores/v1/00000@n02:1");
    cluster.map.inject("partitions/scores/v1/00000@ghost:1");
    cluster.settle();
    cluster.peers.forget();
    for (int i = 0; i < 20; i++) {
      assertThat(nodes.get(1).ask("k" + i)).isEqualTo("v1:" + i);
    }
    assertThat(cluster.peers.asked()).extracting(FakePeers.Asked::address).contains("ghost:1");
  }

  @Test
  void anInjectedHolderCompletesAVersionForClients() throws Exception {
    cluster.with(TestCluster.settings(1, 1)).write("v1", 2, 20);
    List<TestCluster.Member> nodes = cluster.start(2);
    nodes.get(1).loads.hold(true);
    cluster.settle();
    assertThat(nodes.get(0).serving()).isEmpty();
    cluster.map.inject("partitions/scores/v1/00001@elsewhere:1");
    cluster.settle();
    assertThat(nodes.get(0).serving()).isEqualTo("v1");
  }

  @Test
  void whoHasTheShardAsksNobody() throws Exception {
    cluster.with(TestCluster.settings(2, 1)).write("v1", 2, 20);
    List<TestCluster.Member> nodes = cluster.start(2);
    cluster.settle();
    cluster.peers.mood("n02:1", FakePeers.Mood.FAILS);
    for (int i = 0; i < 20; i++) {
      assertThat(nodes.get(0).get("k" + i))
          .isInstanceOfSatisfying(
              Lookup.Found.class, found -> assertThat(found.origin().proxied()).isFalse());
    }
    assertThat(cluster.peers.asked()).isEmpty();
  }

  @Test
  void aProxiedRequestIsNeverProxiedAgain() throws Exception {
    cluster.with(TestCluster.settings(1, 1)).write("v1", 3, 30);
    List<TestCluster.Member> nodes = cluster.start(3);
    cluster.settle();
    // Both of the others are said to have what they have not.
    nodes.get(2).kill();
    cluster.map.inject("partitions/scores/v1/00002@n02:1");
    cluster.map.inject("partitions/scores/v1/00002@n01:1");
    cluster.settle();
    cluster.peers.forget();
    String key = "";
    for (int i = 0; key.isEmpty(); i++) {
      key = (("k" + i).hashCode() & 0x7fffffff) % 3 == 2 ? "k" + i : "";
    }
    assertThat(nodes.get(0).ask(key)).isEqualTo("NO_PEER in v1");
    assertThat(cluster.peers.asked()).hasSize(1);
  }

  @Test
  void aLostNodeMovesNoShards() throws Exception {
    cluster.with(TestCluster.settings(2, 1)).write("v1", 6, 60);
    List<TestCluster.Member> nodes = cluster.start(3);
    cluster.settle();
    List<List<Integer>> before = List.of(nodes.get(0).shards("v1"), nodes.get(1).shards("v1"));
    nodes.get(2).kill();
    cluster.clock.advance(Duration.ofHours(1));
    cluster.refresh();
    assertThat(List.of(nodes.get(0).shards("v1"), nodes.get(1).shards("v1"))).isEqualTo(before);
    assertAllServe("v1", 60);
    // It comes back with its shards, and those that are there go on as they are.
    cluster.start("n03:1");
    cluster.settle();
    assertThat(nodes.get(0).shards("v1")).isEqualTo(before.get(0));
    assertThat(cluster.members.get("n03:1").shards("v1")).hasSize(4);
    assertAllServe("v1", 60);
  }

  @Test
  void withRepairLostShardsAreTakenOverAfterAWhile() throws Exception {
    DatasetSettings repair =
        new DatasetSettings(
            false,
            Duration.ZERO,
            2,
            1,
            Duration.ZERO,
            Duration.ofMillis(100),
            Duration.ZERO,
            Duration.ofMinutes(10),
            4,
            new ByteSize(0),
            true,
            Duration.ofMinutes(5));
    cluster.with(repair).write("v1", 6, 60);
    List<TestCluster.Member> nodes = cluster.start(4);
    cluster.settle();
    nodes.get(3).kill();
    cluster.settle();
    cluster.clock.advance(Duration.ofMinutes(4));
    cluster.settle();
    assertThat(histogram(nodes.get(0), "v1").underReplicated()).isPositive();
    cluster.clock.advance(Duration.ofMinutes(1));
    cluster.settle();
    assertThat(histogram(nodes.get(0), "v1").underReplicated()).isZero();
    nodes.get(2).kill();
    cluster.settle();
    cluster.clock.advance(Duration.ofMinutes(5));
    cluster.settle();
    nodes.get(1).kill();
    for (int i = 0; i < 60; i++) {
      assertThat(nodes.get(0).ask("k" + i)).isEqualTo("v1:" + i);
    }
  }

  /**
   * A node is lost after the others chose their shards of a new version by a list that had it. Its
   * shards were nobody's once, and the new version was never served.
   */
  @Test
  void aNewVersionIsCompletedThoughOneOfItsNodesIsLostBeforeItLoaded() throws Exception {
    cluster.with(patient(1)).write("v1", 6, 60);
    List<TestCluster.Member> nodes = cluster.start(3);
    settleSlowly();
    assertAllServe("v1", 60);
    cluster.write("v2", 6, 60);
    List<TestCluster.Member> left = nodes.subList(0, 2);
    for (TestCluster.Member node : left) {
      node.node.refresh();
      node.node.step();
      while (node.shards("v2").isEmpty()) {
        node.work.runOne(cluster.random);
        node.loads.runOne(cluster.random);
        node.node.step();
      }
    }
    nodes.get(2).kill();
    cluster.settle();
    assertThat(left.stream().map(TestCluster.Member::serving)).containsOnly("v1");
    settleSlowly();
    assertAllServe("v2", 60);
  }

  /** Repairs by default; nodes wait ten seconds for one another. */
  private static DatasetSettings patient(int replication) {
    return new DatasetSettings(
        false,
        Duration.ZERO,
        replication,
        1,
        Duration.ofSeconds(10),
        Duration.ofMillis(100),
        Duration.ZERO,
        Duration.ofMinutes(10),
        4,
        new ByteSize(0),
        DatasetSettings.DEFAULT.repair(),
        Duration.ofMinutes(5));
  }

  private void settleSlowly() {
    for (int i = 0; i < 3; i++) {
      cluster.settle();
      cluster.clock.advance(Duration.ofSeconds(10));
    }
    cluster.settle();
  }

  @Test
  void aShardThatCannotBeReadIsAnsweredByOthersAndLoadedAgain() throws Exception {
    cluster.with(TestCluster.settings(2, 1)).write("v1", 2, 40);
    List<TestCluster.Member> nodes = cluster.start(2);
    cluster.settle();
    TestCluster.Member node = nodes.getFirst();
    damageIndex(node, 1);
    for (int i = 0; i < 40; i++) {
      assertThat(node.ask("k" + i)).isEqualTo("v1:" + i);
    }
    assertThat(node.shards("v1")).containsExactly(0);
    assertThat(cluster.map.holders("scores", "v1")).doesNotContain("00001@n01:1");
    assertThat(node.events)
        .filteredOn(DatasetEvent.ShardDamaged.class::isInstance)
        .singleElement()
        .asString()
        .contains("00001");
    cluster.settle();
    assertThat(node.shards("v1")).containsExactly(0, 1);
    nodes.get(1).kill();
    for (int i = 0; i < 40; i++) {
      assertThat(node.ask("k" + i)).isEqualTo("v1:" + i);
    }
  }

  @Test
  void aBitThatIsLostLaterIsFoundAndNeverServed() throws Exception {
    cluster.with(TestCluster.settings(2, 1)).write("v1", 2, 40);
    List<TestCluster.Member> nodes = cluster.start(2);
    cluster.settle();
    TestCluster.Member node = nodes.get(0);
    for (int i = 0; i < 40; i++) {
      assertThat(node.ask("k" + i)).isEqualTo("v1:" + i);
    }
    Path log = file(node, "00001.spl");
    byte[] bytes = Files.readAllBytes(log);
    bytes[bytes.length - 1] ^= 1; // the last byte of a value
    overwrite(log, bytes);

    cluster.clock.advance(Duration.ofMinutes(3)); // since what was read was compared
    node.node.step();
    for (int i = 0; i < 40; i++) {
      assertThat(node.ask("k" + i)).isEqualTo("v1:" + i);
    }
    assertThat(node.shards("v1")).containsExactly(0);
    assertThat(node.events)
        .filteredOn(DatasetEvent.ShardDamaged.class::isInstance)
        .singleElement()
        .asString()
        .contains("00001.spl")
        .contains("CRC32C");
    cluster.settle();
    assertThat(node.shards("v1")).containsExactly(0, 1);
  }

  private Path file(TestCluster.Member node, String name) throws IOException {
    try (Stream<Path> files = Files.walk(data.resolve(node.address.replace(':', '_')))) {
      return files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
    }
  }

  private static void overwrite(Path file, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes)); // in place: it is mapped
    }
  }

  /** Its slots point behind the end of the log. */
  private void damageIndex(TestCluster.Member node, int shard) throws IOException {
    Path index = file(node, "%05d.spi".formatted(shard));
    byte[] bytes = Files.readAllBytes(index);
    for (int at = 112; at + 8 <= bytes.length; at += 8) {
      if (bytes[at + 4] != 0 || bytes[at + 5] != 0) {
        bytes[at + 7] = 0x7f;
      }
    }
    overwrite(index, bytes);
  }

  private static VersionStatus histogram(TestCluster.Member node, String version) {
    return node.node.ownStatus().getFirst().versions().stream()
        .filter(status -> status.version().equals(version))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void statusPutsTheNodesTogether() throws Exception {
    cluster.with(TestCluster.settings(2, 1)).write("v1", 6, 60);
    List<TestCluster.Member> nodes = cluster.start(3);
    cluster.settle();
    VersionStatus status = nodes.get(0).node.status("scores").versions().getFirst();
    assertThat(status.nodes())
        .extracting(node -> node.node())
        .containsExactlyInAnyOrder("n01:1", "n02:1", "n03:1");
    assertThat(status.nodes()).allMatch(node -> node.state() == VersionState.ACTIVE);
    assertThat(status.histogram()).containsOnlyKeys(2).containsValue(6);
    assertThat(status.averageReplication()).isEqualTo(2.0);
    assertThat(status.missing()).isZero();
    Set<Integer> all = new TreeSet<>();
    status.nodes().forEach(node -> all.addAll(node.shards()));
    assertThat(all).hasSize(6);
    cluster.peers.remove("n02:1");
    assertThat(nodes.get(0).node.status("scores").versions().getFirst().nodes()).hasSize(2);
  }

  @Test
  void manyKeysAtOnceComeFromOneVersionInTheirOrder() throws Exception {
    cluster.with(TestCluster.settings(1, 1)).write("v1", 8, 100);
    List<TestCluster.Member> nodes = cluster.start(4);
    cluster.settle();
    List<Bytes> keys = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 110; i += 3) {
      keys.add(Bytes.utf8("k" + i));
      expected.add(i < 100 ? "v1:" + i : "missing");
    }
    assertThat(nodes.get(2).node.mget("scores", keys))
        .extracting(
            lookup -> lookup instanceof Lookup.Found found ? found.value().toUtf8() : "missing")
        .isEqualTo(expected);
    assertThat(nodes.get(2).node.mget("scores", List.of())).isEmpty();
    cluster.peers.mood("n01:1", FakePeers.Mood.FAILS);
    List<Lookup> some = nodes.get(2).node.mget("scores", keys);
    assertThat(some).hasSize(keys.size());
    assertThat(some).anyMatch(lookup -> lookup instanceof Lookup.Failed);
    assertThat(some).anyMatch(lookup -> lookup instanceof Lookup.Found);
  }

  @Test
  void aPinMovesAllNodes() throws Exception {
    cluster.write("v1", 3, 30);
    List<TestCluster.Member> nodes = cluster.start(3);
    cluster.settle();
    cluster.write("v2", 3, 30);
    cluster.refresh();
    assertAllServe("v2", 30);
    assertThat(nodes.get(1).node.rollback("scores")).isEqualTo("v1");
    cluster.settle();
    assertAllServe("v1", 30);
    nodes.get(2).node.unpin("scores");
    cluster.settle();
    assertAllServe("v2", 30);
  }

  @Test
  void pinsOutliveAMetastoreThatLosesThem() throws Exception {
    cluster.write("v1", 3, 30);
    cluster.write("v2", 3, 30);
    List<TestCluster.Member> nodes = cluster.start(3);
    cluster.settle();
    nodes.get(0).node.pin("scores", "v1");
    cluster.settle();
    assertAllServe("v1", 30);

    cluster.pins.wipe();
    cluster.settle();
    assertAllServe("v1", 30);
    assertThat(cluster.pins.all()).contains(Map.of("scores", new Pin(1, Optional.of("v1"))));

    // One that missed that the pin was taken away does not bring it back.
    TestCluster.Member away = nodes.get(2);
    String address = away.address;
    away.kill();
    nodes.get(1).node.unpin("scores");
    cluster.settle();
    cluster.pins.wipe();
    cluster.start(address);
    cluster.settle();
    assertAllServe("v2", 30);
    assertThat(cluster.pins.all()).contains(Map.of("scores", new Pin(2, Optional.empty())));
  }
}
