package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * "You get only records from version (N-1) until the node upgrades, and then only records from
 * version N." Five nodes, a map that is delivered late and out of order, lookups all the time, and
 * a node that dies and comes back; the order of everything is drawn from the seed.
 */
class UpgradeTest {
  private static final int KEYS = 12;

  @TempDir private Path data;
  private final Map<String, String> seen = new HashMap<>(); // the newest version, by node

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void versionsNeverGoBackAndAreNeverMixed(long seed) throws Exception {
    try (TestCluster cluster = new TestCluster(data, seed)) {
      cluster.write("v1", 2, KEYS);
      cluster.start(5);
      cluster.settle();
      cluster.map.prompt(false);
      for (int next = 2; next <= 4; next++) {
        cluster.write("v" + next, next, KEYS);
        upgrade(cluster, "v" + next, next == 3);
      }
      cluster.map.prompt(true);
      cluster.refresh();
      for (TestCluster.Member node : cluster.members.values()) {
        assertThat(node.serving()).as("seed " + seed).isEqualTo("v4");
        assertThat(node.ask("k1")).isEqualTo("v4:1");
      }
    }
  }

  private void upgrade(TestCluster cluster, String version, boolean crash) throws Exception {
    for (int i = 0; i < 400; i++) {
      cluster.stumble();
      List<TestCluster.Member> nodes = List.copyOf(cluster.members.values());
      TestCluster.Member node = nodes.get(cluster.random.nextInt(nodes.size()));
      if (i % 20 == 0) {
        node.node.refresh();
      }
      if (crash && i == 150) {
        String address = node.address;
        node.kill();
        cluster.start(address);
        continue;
      }
      look(cluster, node);
    }
    assertThat(version).isNotEmpty();
  }

  /** Looks up one key or all, and compares with what the node has answered before. */
  private void look(TestCluster cluster, TestCluster.Member node) {
    List<Bytes> keys =
        cluster.random.nextBoolean()
            ? List.of(Bytes.utf8("k" + cluster.random.nextInt(KEYS)))
            : List.of(Bytes.utf8("k1"), Bytes.utf8("k2"), Bytes.utf8("k3"), Bytes.utf8("k4"));
    if (node.serving().isEmpty()) {
      return; // just restarted
    }
    String version = null;
    List<Lookup> lookups = node.node.mget("scores", keys);
    for (int i = 0; i < lookups.size(); i++) {
      String from =
          switch (lookups.get(i)) {
            case Lookup.Found found -> {
              assertThat(found.value().toUtf8())
                  .isEqualTo(found.origin().version() + ":" + keys.get(i).toUtf8().substring(1));
              yield found.origin().version();
            }
            case Lookup.Missing missing ->
                throw new AssertionError(node.address + ": " + keys.get(i) + " " + missing);
            case Lookup.Failed failed -> failed.version();
          };
      assertThat(version == null || version.equals(from)).as("mixed").isTrue();
      version = from;
    }
    if (version != null) {
      String before = seen.getOrDefault(node.address, "");
      assertThat(version).as(node.address + " went back").isGreaterThanOrEqualTo(before);
      seen.put(node.address, version);
    }
  }
}
