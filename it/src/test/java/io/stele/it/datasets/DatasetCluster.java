package io.stele.it.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.awaitility.Awaitility.await;

import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.VersionStatus;
import io.stele.base.error.SteleException;
import io.stele.client.Stele;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.Keys;
import io.stele.it.SteleProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A member of the metastore and nodes of datasets, each a process, that share the shards of what is
 * in one source. Closing it ends them and deletes their data; their logs stay in the folder {@code
 * target} of this module.
 */
final class DatasetCluster implements AutoCloseable {
  /** Within which everything must be as it should once nothing is in the way. */
  static final Duration RECOVERY = Duration.ofSeconds(60);

  /** Without which a node counts as gone. */
  static final Duration SESSION = Duration.ofSeconds(3);

  static final int REPLICATION = 2;

  private static final String NODE_KEYS = "/stele/datasets/it/v1/nodes/";
  private static final Duration POLL = Duration.ofMillis(50);
  private static final String SMALL = "-Xms32m -Xmx128m";

  private final Path data;
  private final Path logs;
  private final Source source;
  private final SteleProcess metastore;
  private final List<SteleProcess> nodes = new ArrayList<>();

  private DatasetCluster(String name) {
    try {
      this.data = Files.createTempDirectory("stele-" + name);
      this.logs = SteleProcess.target().resolve("datasets").resolve(name);
      delete(logs);
      Files.createDirectories(logs);
      this.source = new Source(Files.createDirectories(data.resolve("source")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.metastore = process("metastore", List.of("--roles", "metastore"));
  }

  /**
   * Starts the metastore, and so many nodes at the same time.
   *
   * @param before what is in the source by then
   */
  static DatasetCluster start(String name, int count, Consumer<Source> before) {
    DatasetCluster cluster = new DatasetCluster(name);
    try {
      before.accept(cluster.source);
      cluster.metastore.start();
      for (int i = 0; i < count; i++) {
        cluster.nodes.add(cluster.process("node-" + i, cluster.arguments()));
      }
      cluster.nodes.forEach(SteleProcess::launch);
      cluster.nodes.forEach(SteleProcess::awaitReady);
      cluster.awaitListed(count);
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  /** Who serves may not be known to the others yet, and they would deal out shards without it. */
  private void awaitListed(int count) {
    try (Stele stele = Stele.connect(metastore.address())) {
      await(count + " nodes that are listed; logs in " + logs)
          .atMost(RECOVERY)
          .pollInterval(POLL)
          .until(() -> stele.metastore().count(Keys.prefix(NODE_KEYS)) == count);
    }
  }

  /**
   * What makes a server a node of this cluster.
   *
   * @param more settings, which override the cluster's
   */
  List<String> arguments(String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("--roles", "datasets", "--metastore", metastore.address()));
    Stream.concat(
            Stream.of(
                "datasets.cluster=it",
                "datasets.source=" + source.root(),
                "datasets.replication=" + REPLICATION,
                "datasets.session=" + SESSION.toMillis() + "ms",
                "datasets.refresh-every=200ms",
                "datasets.time-to-converge=2s",
                "datasets.proxy-timeout=10s",
                "datasets.proxy-stage-timeout=300ms",
                "datasets.keep-old=2s"),
            Stream.of(more))
        .forEach(setting -> arguments.addAll(List.of("--set", setting)));
    return arguments;
  }

  private SteleProcess process(String name, List<String> arguments) {
    Path directory = data.resolve(name);
    List<String> command =
        new ArrayList<>(
            List.of(
                SteleProcess.launcher(),
                "server",
                "--data",
                directory.toString(),
                "--ports",
                "auto"));
    command.addAll(arguments);
    return new SteleProcess(directory, logs.resolve(name + ".log"), SMALL, command);
  }

  /** A node that is not counted among the cluster's; not started yet. */
  SteleProcess another(String name, String... settings) {
    return process(name, arguments(settings));
  }

  // ---- its parts

  Source source() {
    return source;
  }

  /** Where nodes have their directories; it goes with the cluster. */
  Path data() {
    return data;
  }

  Path logs() {
    return logs;
  }

  SteleProcess metastore() {
    return metastore;
  }

  SteleProcess node(int number) {
    return nodes.get(number);
  }

  /** The addresses of all nodes, for HTTP. */
  List<String> addresses() {
    return nodes.stream().map(DatasetCluster::http).toList();
  }

  /** Those of the nodes that run and are not paused. */
  List<String> addressesAtWork() {
    return nodes.stream()
        .filter(node -> node.isRunning() && !node.isPaused())
        .map(DatasetCluster::http)
        .toList();
  }

  String address(int number) {
    return http(node(number));
  }

  private static String http(SteleProcess node) {
    return node.address("datasets");
  }

  /** Does something by a client of one node. */
  <T> T with(int node, Function<Stele, T> doing) {
    ClientSettings settings =
        ClientSettings.DEFAULTS.withCalls(
            CallSettings.DEFAULTS.withTimeout(RECOVERY).withAttemptTimeout(Duration.ofSeconds(5)));
    try (Stele stele =
        Stele.builder().endpoints(List.of(node(node).address())).settings(settings).connect()) {
      return doing.apply(stele);
    }
  }

  // ---- how it is

  DatasetStatus status(int node, String dataset) {
    return with(node, stele -> stele.datasets().status(dataset));
  }

  /** Which node has which shards of a version, by address, as one of them sees it. */
  Map<String, List<Integer>> shards(int node, String dataset, String version) {
    Map<String, List<Integer>> shards = new TreeMap<>();
    for (VersionStatus status : status(node, dataset).versions()) {
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
      await("version " + version + " of " + dataset + " at " + address)
          .atMost(RECOVERY)
          .pollInterval(POLL)
          .until(() -> reader.get(dataset, Source.keys().getFirst()).version().equals(version));
    }
  }

  void awaitVersion(String dataset, String version) {
    awaitVersion(addressesAtWork(), dataset, version);
  }

  /** Waits until each shard of a version has so many holders. */
  void awaitHolders(int node, String dataset, String version, int shards, int holders) {
    await("every shard of " + dataset + " on " + holders + " nodes; logs in " + logs)
        .atMost(RECOVERY)
        .pollInterval(POLL)
        .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
        .untilAsserted(
            () ->
                assertThat(status(node, dataset).versions())
                    .filteredOn(status -> status.version().equals(version))
                    .singleElement()
                    .satisfies(
                        status ->
                            assertThat(status.histogram()).isEqualTo(Map.of(holders, shards))));
  }

  /** Reads every key from each of some nodes; none of them may fail, or be of another version. */
  static void assertAllKeys(List<String> addresses, String dataset, String version) {
    assertKeys(addresses, dataset, version, Source.keys());
  }

  static void assertKeys(
      List<String> addresses, String dataset, String version, List<String> keys) {
    for (String address : addresses) {
      Reader reader = new Reader(address);
      for (String key : keys) {
        Reader.Answer answer = reader.get(dataset, key);
        assertThat(answer.isValueOf(key)).as("%s from %s: %s", key, address, answer).isTrue();
        assertThat(answer.version()).as("%s from %s", key, address).isEqualTo(version);
      }
    }
  }

  void assertAllKeys(String dataset, String version) {
    assertAllKeys(addressesAtWork(), dataset, version);
  }

  /** Starts what was killed, lets go on what is paused, and waits until all count as there. */
  void restore() {
    if (!metastore.isRunning()) {
      metastore.start();
    }
    for (SteleProcess node : nodes) {
      if (node.isPaused()) {
        node.resume();
      }
      if (!node.isRunning()) {
        node.start();
      }
    }
    for (int i = 0; i < nodes.size(); i++) {
      int number = i;
      await("node " + i + " knows who has what; logs in " + logs)
          .atMost(RECOVERY)
          .pollInterval(POLL)
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .untilAsserted(() -> assertInformed(with(number, stele -> stele.datasets().status())));
    }
  }

  /**
   * All nodes answer, and the map has as many holders as they are: none that is gone, none less.
   */
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

  // ---- harm

  /** Kills the metastore, and has it forget everything but where it listens. */
  void wipeMetastore() {
    metastore.kill9();
    try (Stream<Path> files = Files.list(metastore.data())) {
      for (Path file : files.toList()) {
        if (!file.getFileName().toString().equals("ports")) {
          delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    nodes.forEach(SteleProcess::close);
    metastore.close();
    delete(data);
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
