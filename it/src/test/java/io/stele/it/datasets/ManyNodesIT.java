package io.stele.it.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.text.JsonReader;
import io.stele.it.cluster.ServerPack;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Thirty nodes that start in the same moment, ten in each of three processes. */
class ManyNodesIT {
  private static final int PROCESSES = 3;
  private static final int NODES_EACH = 10;
  private static final int NODES = PROCESSES * NODES_EACH;
  private static final int SHARDS = 45;
  private static final int SHARE = SHARDS * DatasetCluster.REPLICATION / NODES;

  /** Of every node, enough to meet shards of its own and of others. */
  private static final List<String> SOME = Source.keys().subList(0, 30);

  @Test
  @Timeout(value = 4, unit = TimeUnit.MINUTES)
  void thirtyNodesStartAndGoOnToTheNextVersion() {
    try (DatasetCluster cluster =
        DatasetCluster.start("many-nodes", 0, source -> source.write("wide", "v1", SHARDS))) {
      List<ServerPack> packs = new ArrayList<>();
      try {
        for (int i = 0; i < PROCESSES; i++) {
          packs.add(
              new ServerPack(
                  cluster.data().resolve("pack" + i),
                  cluster.logs().resolve("pack" + i + ".log"),
                  NODES_EACH,
                  // All start on few cores: they must be counted before shards are dealt out.
                  cluster.arguments(
                      "datasets.time-to-converge=4s",
                      "datasets.session=10s",
                      "datasets.refresh-every=1s")));
        }
        packs.forEach(ServerPack::launch);
        packs.forEach(ServerPack::awaitReady);
        run(cluster, packs);
      } finally {
        packs.forEach(ServerPack::close);
      }
    }
  }

  private static void run(DatasetCluster cluster, List<ServerPack> packs) {
    List<String> addresses =
        packs.stream().flatMap(pack -> pack.addresses("datasets").stream()).toList();
    assertThat(addresses).hasSize(NODES).doesNotHaveDuplicates();
    DatasetCluster.awaitVersion(addresses, "wide", "v1");
    DatasetCluster.assertKeys(addresses, "wide", "v1", SOME);

    cluster.source().write("wide", "v2", SHARDS);
    DatasetCluster.awaitVersion(addresses, "wide", "v2");
    await("each has its share")
        .atMost(DatasetCluster.RECOVERY)
        .untilAsserted(
            () ->
                assertThat(shares(addresses.getFirst(), "v2"))
                    .isEqualTo(Collections.nCopies(NODES, SHARE)));
    DatasetCluster.assertKeys(addresses, "wide", "v2", SOME);
  }

  /** How many shards each node has of a version, as one of them sees it. */
  private static List<Integer> shares(String address, String version) {
    String json = new Reader(address).page("wide").body();
    List<Integer> shares = new ArrayList<>();
    if (in(in(in(JsonReader.read(json), "versions"), version), "nodes")
        instanceof Map<?, ?> nodes) {
      for (Object node : nodes.values()) {
        shares.add(in(node, "partitions") instanceof List<?> partitions ? partitions.size() : 0);
      }
    }
    return shares;
  }

  private static @Nullable Object in(@Nullable Object json, String name) {
    return json instanceof Map<?, ?> map ? map.get(name) : null;
  }
}
