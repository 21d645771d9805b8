package io.stele.it.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Replicas;
import io.stele.client.Stele;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.it.SteleProcess;
import io.stele.it.metastore.TestCluster;
import io.stele.it.metastore.TestNetwork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Servers of replicated tables, each a process with a directory of its own, on a host of its own
 * where the network has such. The first, or the first three, are the members of the metastore too.
 * Closing it ends them and deletes their data; their logs stay in the folder {@code target} of this
 * module.
 */
final class ReplicaCluster implements AutoCloseable {
  static final int REPLICAS = 3; // of each partition

  /** Without which a server counts as dead. */
  static final Duration SESSION = Duration.ofSeconds(3);

  /** A server that was dead for so long is replaced. */
  static final Duration DEAD_AFTER = Duration.ofSeconds(5);

  /** Within which all replicas must be there again once nothing is in the way. */
  static final Duration RECOVERY = TestCluster.RECOVERY;

  private static final List<String> SETTINGS =
      List.of(
          "replicas.session=" + SESSION.toMillis() + "ms",
          "replicas.dead-after=" + DEAD_AFTER.toMillis() + "ms",
          "replicas.peer-timeout=2s",
          "replicas.write-timeout=5s",
          "replicas.poll=1s",
          "replicas.upkeep=300ms");

  private static final String SERVING = "serving";
  private static final String JOINING = "joining";
  private static final String SMALL = "-Xms48m -Xmx256m";

  private final TestNetwork network;
  private final Optional<TestCluster> group; // where the metastore has more than one member
  private final int members;
  private final Path data;
  private final Path logs;
  private final List<SteleProcess> servers = new ArrayList<>(); // guarded by itself
  private List<String> outside = List.of(); // arguments of servers that are no members
  private int made;

  private ReplicaCluster(String name, int members, TestNetwork network) {
    this.network = network;
    this.members = members;
    this.logs = SteleProcess.target().resolve("replicas").resolve(name);
    delete(logs);
    try {
      this.data = Files.createTempDirectory("stele-" + name);
      Files.createDirectories(logs);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.group =
        members == 1
            ? Optional.empty()
            : Optional.of(
                TestCluster.start(name, members, network, _ -> arguments("metastore,replicas")));
  }

  /**
   * Starts so many servers; returns when all of them count as live.
   *
   * @param members of the metastore among them
   */
  static ReplicaCluster start(String name, int count, int members, TestNetwork network) {
    ReplicaCluster cluster = new ReplicaCluster(name, members, network);
    try {
      cluster.startServers(count);
      cluster.awaitLive();
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  private void startServers(int count) {
    if (group.isEmpty()) {
      servers.add(process(0, arguments("metastore,replicas")));
      servers.getFirst().start();
    } else {
      for (int i = 0; i < members; i++) {
        servers.add(group.get().member(i).process());
      }
    }
    String metastore = servers.stream().map(SteleProcess::address).collect(Collectors.joining(","));
    outside = new ArrayList<>(arguments("replicas"));
    outside.addAll(List.of("--metastore", metastore));
    for (int i = members; i < count; i++) {
      servers.add(process(i, outside));
    }
    List<SteleProcess> others = servers.subList(members, count);
    others.forEach(SteleProcess::launch);
    others.forEach(SteleProcess::awaitReady);
  }

  private static List<String> arguments(String roles) {
    List<String> arguments = new ArrayList<>(List.of("--roles", roles));
    SETTINGS.forEach(setting -> arguments.addAll(List.of("--set", setting)));
    return arguments;
  }

  /** A server with a directory that nobody had before. */
  private SteleProcess process(int host, List<String> arguments) {
    String name = "server-" + host + "-" + ++made;
    Path directory = data.resolve(name);
    List<String> command = new ArrayList<>(network.runsOn(host));
    command.addAll(
        List.of(
            SteleProcess.launcher(),
            "server",
            "--data",
            directory.toString(),
            "--ports",
            "auto",
            "--listen",
            network.address(host)));
    command.addAll(arguments);
    return new SteleProcess(directory, logs.resolve(name + ".log"), SMALL, command);
  }

  // ---- its parts

  TestNetwork network() {
    return network;
  }

  /** How many of the first servers are members of the metastore. */
  int members() {
    return members;
  }

  /** The server that the metastore depends on at the moment. */
  int awaitLeader() {
    return group.map(TestCluster::awaitLeader).orElse(0);
  }

  Path logs() {
    return logs;
  }

  int size() {
    synchronized (servers) {
      return servers.size();
    }
  }

  SteleProcess server(int number) {
    synchronized (servers) {
      return servers.get(number);
    }
  }

  // ---- its clients

  Stele client() {
    return client(0, RECOVERY.multipliedBy(2));
  }

  /** One that asks a server first, and the others if it does not answer. */
  Stele client(int first, Duration timeout) {
    List<String> endpoints =
        IntStream.range(0, size()).mapToObj(i -> server((first + i) % size()).address()).toList();
    ClientSettings settings =
        ClientSettings.DEFAULTS.withCalls(
            CallSettings.DEFAULTS
                .withTimeout(timeout)
                .withAttemptTimeout(Duration.ofSeconds(3))
                .withPauses(Duration.ofMillis(20), Duration.ofMillis(200)));
    return Stele.builder().endpoints(endpoints).settings(settings).connect();
  }

  // ---- how it is

  /** Waits until all servers count as live, by making a table that needs them all. */
  private void awaitLive() {
    try (Stele client = client(0, Duration.ofSeconds(5))) {
      await(size() + " live servers; logs in " + logs)
          .atMost(RECOVERY)
          .pollInterval(Duration.ofMillis(100))
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(
              () -> {
                try {
                  client
                      .tables()
                      .create(
                          "everywhere",
                          TableSchema.ofFamilies("f").withReplication(Replication.of(size())),
                          List.of());
                } catch (ConflictException e) {
                  // By an attempt whose answer was lost.
                }
                return true;
              });
      client.tables().drop("everywhere");
    }
  }

  /**
   * Waits until every partition of some tables has all its replicas on servers that answer, and
   * none is being copied: a server may be wiped now without taking the last copy.
   */
  void awaitWhole(List<String> tables) {
    awaitEach(tables, ReplicaCluster::isWhole);
  }

  /**
   * Likewise, nothing is being split, and everybody has sent everybody what it has: to be called
   * while nobody writes.
   */
  void awaitSettled(List<String> tables) {
    awaitEach(tables, partition -> isWhole(partition) && isSettled(partition));
  }

  private static boolean isWhole(Replicas.PartitionStatus partition) {
    List<Replicas.ReplicaStatus> replicas = partition.replicas();
    return replicas.stream().filter(each -> each.role().equals(SERVING)).count() == REPLICAS
        && replicas.stream().noneMatch(each -> each.role().equals(JOINING))
        && replicas.stream()
            .allMatch(each -> each.problem().isEmpty() && !each.address().isEmpty());
  }

  private static boolean isSettled(Replicas.PartitionStatus partition) {
    return partition.splitAt().isEmpty()
        && partition.replicas().size() == REPLICAS
        && partition.replicas().stream()
            .flatMap(each -> each.behind().stream())
            .allMatch(to -> to.confirmed() >= to.sequence());
  }

  private void awaitEach(List<String> tables, Predicate<Replicas.PartitionStatus> wanted) {
    try (Stele client = client(0, Duration.ofSeconds(5))) {
      await("all replicas to be where they should be; logs in " + logs)
          .atMost(RECOVERY)
          .pollInterval(Duration.ofMillis(100))
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .untilAsserted(
              () -> {
                for (String table : tables) {
                  assertThat(client.replicas().status(table).partitions())
                      .as("partitions of " + table)
                      .allMatch(wanted);
                }
              });
    }
  }

  // ---- harm

  /** Cuts a server off from all others; the test still reaches it. */
  void isolate(int number) {
    for (int other = 0; other < size(); other++) {
      if (other != number) {
        network().cut(number, other);
        network().cut(other, number);
      }
    }
  }

  /** Kills a server and starts it again without its replicas: it is another one by that. */
  void wipe(int number) {
    SteleProcess victim = server(number);
    victim.kill9();
    delete(victim.data().resolve("replicas"));
    victim.start();
  }

  /** Kills a server, which never comes back, and starts another on its host. */
  void replace(int number) {
    if (number < members) {
      throw new IllegalArgumentException("server " + number + " is a member of the metastore");
    }
    server(number).kill9();
    SteleProcess another = process(number, outside);
    synchronized (servers) {
      servers.set(number, another);
    }
    another.start();
  }

  @Override
  public void close() {
    synchronized (servers) {
      servers.forEach(SteleProcess::close);
    }
    if (group.isPresent()) {
      group.get().close(); // and the network
    } else {
      network.close();
    }
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
