package io.stele.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.file.CrashMode;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.RandomSource;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataEvent;
import io.stele.replicas.metadata.MetadataParts;
import io.stele.replicas.metadata.MetadataServer;
import io.stele.replicas.metadata.MetadataSettings;
import io.stele.replicas.metadata.TableConfig;
import io.stele.testkit.ManualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Metadata servers of one process, all of whose work is done by the thread that asks for it, in
 * simulated time.
 *
 * <pre>{@code
 * MetadataCluster cluster = new MetadataCluster("a", "b", "c");
 * Metadata first = cluster.create("t", "a", "b", "c");
 * cluster.server("a").change(first.table(), change);
 * cluster.stop("b");
 * }</pre>
 */
public final class MetadataCluster {
  public static final Duration ABANDONED = Duration.ofMinutes(1);

  private static final class Node {
    private MemoryFileStore files;
    private CrashPoint crash = new CrashPoint();
    private MetadataServer server;
    private final List<MetadataEvent> events = new ArrayList<>();
  }

  public final FakeCoordination service = new FakeCoordination(Runnable::run);
  public final FakePeers network = new FakePeers(Runnable::run);
  public final ManualClock clock = new ManualClock();
  public final RandomGenerator random = RandomSource.seeded(7);
  private final Map<String, Node> nodes = new LinkedHashMap<>();

  public MetadataCluster(String... ids) {
    for (String id : ids) {
      start(id);
    }
  }

  /** Starts a server, on what is on its disk. */
  public MetadataServer start(String id) {
    Node node = nodes.computeIfAbsent(id, key -> new Node());
    if (node.files == null) {
      node.files = new MemoryFileStore(clock);
    }
    node.crash = new CrashPoint();
    node.server =
        new MetadataServer(
            new MetadataParts(
                id,
                node.crash.files(node.files),
                FilePath.of("metadata"),
                service.of(id, node.crash),
                network.from(address(id), node.crash)::metadata,
                clock,
                random,
                node.events::add,
                Runnable::run),
            MetadataSettings.DEFAULT
                .withAbandonedAfter(ABANDONED)
                .withTries(5, Duration.ofNanos(1)));
    network.serve(address(id), node.server);
    service.live(id, address(id));
    return node.server;
  }

  /** Ends a server's process and its session; its disk keeps what was durable. */
  public void stop(String id) {
    stop(id, CrashMode.dropUnsynced());
  }

  public void stop(String id, CrashMode mode) {
    service.dead(id);
    network.down(address(id));
    Node node = node(id);
    node.crash.kill();
    node.files = node.files.crash(mode);
  }

  /** Empties a server's disk; it must be stopped. */
  public void wipe(String id) {
    node(id).files = new MemoryFileStore(clock);
  }

  public static String address(String id) {
    return "host-" + id;
  }

  private Node node(String id) {
    Node node = nodes.get(id);
    assertThat(node).as("server %s", id).isNotNull();
    return node;
  }

  public MetadataServer server(String id) {
    return node(id).server;
  }

  public MemoryFileStore disk(String id) {
    return node(id).files;
  }

  public CrashPoint crash(String id) {
    return node(id).crash;
  }

  public List<MetadataEvent> events(String id) {
    return node(id).events;
  }

  /** A table with one partition on these servers, which are also its metadata servers. */
  public Metadata create(String name, String... servers) {
    List<Assignment> members = new ArrayList<>();
    for (String server : servers) {
      members.add(new Assignment(server, name + "-" + server));
    }
    Metadata first = Metadata.first("id-" + name, name + "-0", name + "-p", members);
    assertThat(server(servers[0]).create(config(name, servers), first)).isTrue();
    return first;
  }

  public static TableConfig config(String name, String... servers) {
    return new TableConfig(
        name,
        "id-" + name,
        TableSchema.ofFamilies("f").withReplication(Replication.of(servers.length)),
        name + "-0",
        List.of(servers));
  }

  /** The transactions of which a server has a file. */
  public List<String> files(String id, String table) {
    try {
      return disk(id).list(file(table, "x").parent()).stream()
          .map(FileInfo::path)
          .map(FilePath::name)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static FilePath file(String table, String txn) {
    return FilePath.of("metadata/id-" + table + "/" + txn);
  }

  /** Everybody who lives looks after its files. */
  public void round() {
    for (Node node : nodes.values()) {
      if (!node.crash.killed()) {
        node.server.round();
      }
    }
  }

  /** What is left over is so for long enough to be dropped. */
  public void tidy() {
    round();
    clock.advance(ABANDONED);
    round();
    round();
  }
}
