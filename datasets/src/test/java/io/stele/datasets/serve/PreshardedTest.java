package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.dataset.NodeVersion;
import io.stele.base.settings.ByteSize;
import io.stele.datasets.shard.ShardHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * "Pre-sharded input is declared or detected and verified, never guessed in a way that can lose
 * keys."
 */
class PreshardedTest {
  private static final int FILES = 6;
  private static final int KEYS = 300;
  private static final Duration CONVERGE = Duration.ofSeconds(10);

  @TempDir private Path directory;
  private TestCluster cluster;

  @BeforeEach
  void open() {
    cluster = new TestCluster(directory, 1).with(settings(1));
  }

  @AfterEach
  void close() throws IOException {
    cluster.close();
  }

  private static DatasetSettings settings(int replication) {
    return new DatasetSettings(
        false,
        Duration.ZERO,
        replication,
        1,
        CONVERGE,
        Duration.ofMillis(100),
        Duration.ZERO,
        Duration.ofMinutes(10),
        4,
        new ByteSize(0),
        true,
        Duration.ofMinutes(5));
  }

  /** The text of each file, as a job leaves it that shards as nodes do. */
  private static List<StringBuilder> sharded(String version) {
    List<StringBuilder> texts = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      texts.add(new StringBuilder());
    }
    for (int i = 0; i < KEYS; i++) {
      texts.get(shard("k" + i)).append("k" + i + "\t" + version + ":" + i + "\n");
    }
    return texts;
  }

  private static int shard(String key) {
    return ShardHash.shard(key.getBytes(StandardCharsets.UTF_8), FILES);
  }

  private void write(String version, List<StringBuilder> texts) throws IOException {
    for (int i = 0; i < texts.size(); i++) {
      String name = "scores/" + version + "/part-r-0000" + i + ".tsv";
      cluster.file(name, texts.get(i).toString());
    }
    cluster.finish("scores/" + version);
  }

  /** Starts nodes, which have seen each other for long enough. */
  private List<TestCluster.Member> start(int count) throws IOException {
    List<TestCluster.Member> nodes = cluster.start(count);
    cluster.settle();
    cluster.clock.advance(CONVERGE);
    cluster.settle();
    return nodes;
  }

  private static long read(TestCluster.Member node, String version) {
    return node.has(version).map(NodeVersion::progress).orElseThrow().records();
  }

  private void assertAllKeys(List<TestCluster.Member> nodes, String version) {
    for (TestCluster.Member node : nodes) {
      assertThat(node.serving()).isEqualTo(version);
      for (int i = 0; i < KEYS; i++) {
        assertThat(node.ask("k" + i)).as("k%d at %s", i, node.address).isEqualTo(version + ":" + i);
      }
    }
  }

  @Test
  void aNodeReadsOnlyTheFilesOfItsShards() throws IOException {
    List<TestCluster.Member> nodes = start(3);
    write("v1", sharded("v1"));
    cluster.refresh();
    assertAllKeys(nodes, "v1");
    assertThat(nodes.stream().mapToLong(node -> read(node, "v1")).sum()).isEqualTo(KEYS);
    assertThat(nodes).allMatch(node -> node.shards("v1").size() == 2);
  }

  @Test
  void withSeveralHoldersEachOfThemReadsItsOwn() throws IOException {
    cluster.with(settings(2));
    List<TestCluster.Member> nodes = start(3);
    write("v1", sharded("v1"));
    cluster.refresh();
    assertAllKeys(nodes, "v1");
    assertThat(nodes.stream().mapToLong(node -> read(node, "v1")).sum()).isEqualTo(2 * KEYS);
  }

  @Test
  void aKeyInAFileThatItsHolderDoesNotReadIsNotLost() throws IOException {
    List<TestCluster.Member> nodes = start(3);
    for (int file = 0; file < FILES; file++) {
      String version = "v" + (file + 1);
      List<StringBuilder> texts = sharded(version);
      String stray = "stray";
      int other = (shard(stray) + 1 + file) % FILES;
      texts.get(other).append(stray + "\t" + version + ":stray\n"); // the last line of all
      write(version, texts);
      loadAllBut(nodes.get(other % nodes.size()), nodes); // who reads that file is the last
      cluster.refresh();
      assertAllKeys(nodes, version);
      String expected = version + ":stray";
      assertThat(nodes).allMatch(node -> node.ask(stray).equals(expected));
    }
  }

  @Test
  void filesThatAreNotShardedAtAllAreReadByAll() throws IOException {
    List<TestCluster.Member> nodes = start(3);
    cluster.write("v1", FILES, KEYS);
    cluster.refresh();
    assertAllKeys(nodes, "v1");
    assertThat(nodes).allMatch(node -> read(node, "v1") == KEYS);
  }

  /** All nodes get to know a version and begin to load it, and all but one get on with that. */
  private void loadAllBut(TestCluster.Member slow, List<TestCluster.Member> nodes) {
    for (int i = 0; i < 20; i++) {
      for (TestCluster.Member node : nodes) {
        node.node.refresh();
        node.work.runOne(cluster.random);
        if (node != slow) {
          node.loads.runOne(cluster.random);
        }
      }
    }
  }

  @Test
  void nothingOfItIsSeenBeforeAllFilesAreVerified() throws IOException {
    List<TestCluster.Member> nodes = start(3);
    write("v1", sharded("v1"));
    loadAllBut(nodes.get(2), nodes);
    cluster.clock.advance(CONVERGE.multipliedBy(10)); // it is under way, however long it takes
    for (TestCluster.Member node : nodes) {
      node.node.step();
      assertThat(node.shards("v1")).isEmpty();
      assertThat(node.serving()).isEmpty();
    }
    assertThat(directory.resolve("n01_1/scores/v1")).isDirectoryNotContaining("glob:**0000*.json");
    cluster.settle();
    assertAllKeys(nodes, "v1");
    assertThat(nodes.stream().mapToLong(node -> read(node, "v1")).sum()).isEqualTo(KEYS);
  }

  @Test
  void aNodeThatIsLostBeforeItHasVerifiedItsFilesIsReplaced() throws IOException {
    List<TestCluster.Member> nodes = new ArrayList<>(start(3));
    write("v1", sharded("v1"));
    loadAllBut(nodes.get(2), nodes);
    nodes.removeLast().kill();
    cluster.settle();
    assertThat(nodes).allMatch(node -> node.serving().isEmpty());
    for (int i = 0; i < 3; i++) {
      cluster.clock.advance(CONVERGE);
      cluster.settle();
    }
    assertAllKeys(nodes, "v1");
  }

  @Test
  void ifNobodyLooksAtAFileThoseThatWaitReadEverything() throws IOException {
    List<TestCluster.Member> nodes = start(2);
    // A node that reads everything and says nothing of files, as earlier ones of Stele do.
    cluster.map.inject("nodes/n03:1");
    cluster.settle();
    write("v1", sharded("v1"));
    cluster.refresh();
    assertThat(nodes).allMatch(node -> node.serving().isEmpty());
    cluster.map.inject("partitions/scores/v1/00002@n03:1");
    cluster.map.inject("partitions/scores/v1/00005@n03:1");
    cluster.clock.advance(CONVERGE.multipliedBy(4));
    cluster.settle();
    cluster.clock.advance(CONVERGE.multipliedBy(4));
    cluster.settle();
    assertThat(nodes).allMatch(node -> node.serving().equals("v1"));
    assertThat(nodes).allMatch(node -> read(node, "v1") == KEYS);
  }

  @Test
  void afterACrashNothingOfAnAssumptionIsLeft() throws IOException {
    List<TestCluster.Member> nodes = new ArrayList<>(start(3));
    List<StringBuilder> texts = sharded("v1");
    texts.get((shard("stray") + 1) % FILES).append("stray\tv1:stray\n");
    write("v1", texts);
    TestCluster.Member first = nodes.getFirst();
    for (int i = 0; i < 20; i++) {
      first.node.refresh();
      first.work.runOne(cluster.random);
      first.loads.runOne(cluster.random);
    }
    first.kill();
    nodes.set(0, cluster.start(first.address));
    cluster.settle();
    cluster.clock.advance(CONVERGE);
    cluster.refresh();
    for (int i = 0; i < 10; i++) {
      cluster.clock.advance(CONVERGE);
      cluster.settle();
    }
    assertAllKeys(nodes, "v1");
    assertThat(nodes).allMatch(node -> node.ask("stray").equals("v1:stray"));
  }
}
