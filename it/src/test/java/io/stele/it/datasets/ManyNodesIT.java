package io.stele.it.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.text.JsonReader;
import io.stele.base.time.Clock;
import io.stele.it.process.ServerPack;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.run.LongRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thirty nodes that start in the same moment, ten in each of three processes. In {@link
 * DatasetFaultsIT} four nodes in one process join four others.
 */
class ManyNodesIT {
  private static final int PROCESSES = 3;
  private static final int NODES_EACH = 10;
  private static final int NODES = PROCESSES * NODES_EACH;
  private static final int SHARDS = 45;
  private static final int SHARE = SHARDS * DatasetNodes.REPLICATION / NODES;

  @TempDir Path folder;

  @Test
  @Tag(LongRun.TAG)
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void thirtyNodesStartAndGoOnToTheNextVersion() {
    Source source = new Source(folder);
    source.write("wide", "v1", SHARDS);
    DatasetNodes few = DatasetNodes.start("many-nodes", source, 0);
    try (SteleCluster _ = few.cluster()) {
      List<ServerPack> packs = new ArrayList<>();
      try {
        for (int i = 0; i < PROCESSES; i++) {
          packs.add(
              few.pack(
                  "pack" + i,
                  NODES_EACH,
                  // All start on few cores: they must be counted before shards are dealt out.
                  "datasets.time-to-converge=4s",
                  "datasets.session=10s",
                  "datasets.refresh-every=1s"));
        }
        long start = Clock.system().nanos();
        packs.forEach(ServerPack::launch);
        packs.forEach(ServerPack::awaitReady);
        long lookups = run(source, packs);
        LongRun.record(
            new LongRun.Outcome(
                ManyNodesIT.class.getSimpleName(),
                0,
                Duration.ofNanos(Clock.system().nanos() - start),
                lookups,
                0,
                0,
                Duration.ZERO));
      } finally {
        packs.forEach(ServerPack::close);
      }
    }
  }

  /** Returns how many lookups were checked. */
  private static long run(Source source, List<ServerPack> packs) {
    List<String> addresses =
        packs.stream().flatMap(pack -> pack.addresses("datasets").stream()).toList();
    assertThat(addresses).hasSize(NODES).doesNotHaveDuplicates();
    DatasetNodes.awaitVersion(addresses, "wide", "v1");
    DatasetNodes.assertAllKeys(addresses, "wide", "v1");

    source.write("wide", "v2", SHARDS);
    DatasetNodes.awaitVersion(addresses, "wide", "v2");
    await("each has its share")
        .atMost(SteleCluster.RECOVERY)
        .untilAsserted(
            () ->
                assertThat(shares(addresses.getFirst(), "v2"))
                    .isEqualTo(Collections.nCopies(NODES, SHARE)));
    DatasetNodes.assertAllKeys(addresses, "wide", "v2");
    return 2L * NODES * Source.keys().size();
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
