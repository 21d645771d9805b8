package io.stele.it.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.awaitility.Awaitility.await;

import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.VersionStatus;
import io.stele.base.error.SteleException;
import io.stele.base.process.FileTree;
import io.stele.base.process.ServerProcess;
import io.stele.client.Stele;
import io.stele.client.metastore.Keys;
import io.stele.it.process.ServerPack;
import io.stele.it.process.SteleCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;

/**
 * Nodes that share the shards of what is in one source: which of them has what, and when all is as
 * it should be.
 *
 * @param cluster server 0 is the metastore, all others are nodes
 */
record DatasetNodes(SteleCluster cluster, Source source) {
  /** Without which a node counts as gone. */
  static final Duration SESSION = Duration.ofSeconds(3);

  static final int REPLICATION = 2;

  private static final String NODE_KEYS = "/stele/datasets/it/v1/nodes/";
  private static final Duration POLL = Duration.ofMillis(50);

  /** Starts the metastore, and so many nodes at the same time. */
  static DatasetNodes start(String name, Source source, int count) {
    SteleCluster cluster =
        SteleCluster.named(name)
            .with(1, "metastore")
            .with(count, "datasets")
            .set(
                "datasets.cluster=it",
                "datasets.source=" + source.root(),
                "datasets.replication=" + REPLICATION,
                "datasets.session=" + SESSION.toMillis() + "ms",
                "datasets.refresh-every=200ms",
                "datasets.time-to-converge=2s",
                "datasets.proxy-timeout=10s",
                "datasets.proxy-stage-timeout=100ms",
                "datasets.keep-old=2s")
            .start();
    try {
      awaitListed(cluster, count);
      return new DatasetNodes(cluster, source);
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  /** Who serves may not be known to the others yet, and they would deal out shards without it. */
  private static void awaitListed(SteleCluster cluster, int count) {
    try (Stele stele = Stele.connect(cluster.server(0).address())) {
      awaiting(count + " nodes that are listed; logs in " + cluster.logs())
          .until(() -> stele.metastore().count(Keys.prefix(NODE_KEYS)) == count);
    }
  }

  private static ConditionFactory awaiting(String what) {
    return await(what)
        .atMost(SteleCluster.RECOVERY)
        .pollInterval(POLL)
        .ignoreExceptionsMatching(problem -> problem instanceof SteleException);
  }

  // ---- nodes

  ServerProcess metastore() {
    return cluster.server(0);
  }

  /** A node, from 1. */
  ServerProcess node(int number) {
    return cluster.server(number);
  }

  private Stream<ServerProcess> nodes() {
    return cluster.with("datasets").stream().map(cluster::server);
  }

  /** The addresses of all nodes, for HTTP. */
  List<String> addresses() {
    return nodes().map(DatasetNodes::http).toList();
  }

  /** Those of the nodes that run and are not paused. */
  List<String> addressesAtWork() {
    return nodes()
        .filter(node -> node.isAlive() && !node.isPaused())
        .map(DatasetNodes::http)
        .toList();
  }

  String address(int number) {
    return http(node(number));
  }

  private static String http(ServerProcess node) {
    return node.addresses().of("datasets");
  }

  /** Does something by a client of one node. */
  <T> T with(int number, Function<Stele, T> doing) {
    try (Stele stele = cluster.clientOfOnly(number, SteleCluster.patience(SteleCluster.RECOVERY))) {
      return doing.apply(stele);
    }
  }

  /** Several more nodes in one process; not started yet. */
  ServerPack pack(String name, int count, String... settings) {
    return cluster.pack(name, count, "datasets", settings);
  }

  // ---- versions and shards

  DatasetStatus status(int number, String dataset) {
    return with(number, stele -> stele.datasets().status(dataset));
  }

  /** Which node has which shards of a version, by address, as one of them sees it. */
  Map<String, List<Integer>> shards(int number, String dataset, String version) {
    Map<String, List<Integer>> shards = new TreeMap<>();
    for (VersionStatus status : status(number, dataset).versions()) {
      if (status.version().equals(version)) {
        for (NodeVersion each : status.nodes()) {
          shards.put(each.node(), each.shards());
        }
      }
    }
    return shards;
  }

  /** Waits until these nodes give a version to clients. */
  static void awaitVersion(List<String> addresses, String dataset, String version) {
    for (String address : addresses) {
      Reader reader = new Reader(address);
      awaiting("version " + version + " of " + dataset + " at " + address)
          .until(() -> reader.get(dataset, Source.keys().getFirst()).version().equals(version));
    }
  }

  void awaitVersion(String dataset, String version) {
    awaitVersion(addressesAtWork(), dataset, version);
  }

  /** Waits until each shard of a version has so many holders. */
  void awaitHolders(String dataset, String version, int shards, int holders) {
    awaiting("every shard of " + dataset + " on " + holders + " nodes; logs in " + cluster.logs())
        .untilAsserted(
            () ->
                assertThat(status(1, dataset).versions())
                    .filteredOn(status -> status.version().equals(version))
                    .singleElement()
                    .satisfies(
                        status ->
                            assertThat(status.histogram()).isEqualTo(Map.of(holders, shards))));
  }

  /** Reads every key from each of some nodes; none may fail, or be of another version. */
  static void assertAllKeys(List<String> addresses, String dataset, String version) {
    for (String address : addresses) {
      Reader reader = new Reader(address);
      for (String key : Source.keys()) {
        Reader.Answer answer = reader.get(dataset, key);
        assertThat(answer.isValueOf(key)).as("%s from %s: %s", key, address, answer).isTrue();
        assertThat(answer.version()).as("%s from %s", key, address).isEqualTo(version);
      }
    }
  }

  void assertAllKeys(String dataset, String version) {
    assertAllKeys(addressesAtWork(), dataset, version);
  }

  // ---- harm, and its repair

  /** Starts what was killed, lets go on what is paused, and waits until all count as there. */
  void restore() {
    if (!metastore().isAlive()) {
      metastore().start();
    }
    nodes()
        .forEach(
            node -> {
              if (node.isPaused()) {
                node.resume();
              }
              if (!node.isAlive()) {
                node.start();
              }
            });
    for (int number : cluster.with("datasets")) {
      awaiting("node " + number + " knows who has what; logs in " + cluster.logs())
          .untilAsserted(() -> assertInformed(with(number, stele -> stele.datasets().status())));
    }
  }

  /** All nodes answer, and the map has as many holders as they are: no more, no less. */
  private void assertInformed(List<DatasetStatus> datasets) {
    for (DatasetStatus dataset : datasets) {
      for (VersionStatus version : dataset.versions()) {
        if (version.version().equals(dataset.serving())) {
          assertThat(version.nodes())
              .as(dataset.dataset())
              .extracting(NodeVersion::node)
              .containsExactlyInAnyOrderElementsOf(addresses());
          assertThat(version.averageReplication() * version.shards())
              .as("holders of shards of %s", dataset.dataset())
              .isEqualTo(
                  version.nodes().stream().mapToInt(node -> node.shards().size()).sum(),
                  offset(0.01));
        }
      }
    }
  }

  /** Kills the metastore, and has it forget everything but where it listens. */
  void wipeMetastore() {
    metastore().kill();
    try (Stream<Path> files = Files.list(metastore().data())) {
      files
          .filter(file -> !file.getFileName().toString().equals("ports"))
          .forEach(FileTree::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
