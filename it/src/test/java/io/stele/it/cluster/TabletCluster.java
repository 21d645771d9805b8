package io.stele.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.table.Cluster;
import io.stele.base.table.TabletInfo;
import io.stele.client.Stele;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.it.SteleProcess;
import io.stele.it.metastore.TestCluster;
import io.stele.it.metastore.TestNetwork;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Members of a metastore and tablet servers on shared files, each a process, on a host of its own
 * where the network has such: members first, then servers. Closing it ends them and deletes their
 * data; their logs stay in the folder {@code target} of this module.
 */
final class TabletCluster implements AutoCloseable {
  /** Within which all tablets must be served once nothing is in the way. */
  static final Duration RECOVERY = TestCluster.RECOVERY;

  private static final String SMALL = "-Xms48m -Xmx192m";

  private static final String META_TABLET = "META1";

  private final Setup setup;
  private final Optional<TestCluster> group;
  private final List<SteleProcess> members = new ArrayList<>();
  private final List<SteleProcess> servers = new ArrayList<>();
  private final List<String> memberAddresses = new ArrayList<>();
  private final List<String> serverAddresses = new ArrayList<>();
  private final Path data;
  private final Path logs;

  private TabletCluster(Setup setup) {
    this.setup = setup;
    try {
      this.data = Files.createTempDirectory("stele-" + setup.name());
      this.logs = SteleProcess.target().resolve("cluster").resolve(setup.name());
      delete(logs);
      Files.createDirectories(logs);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.group = setup.members() > 1 ? Optional.of(startGroup()) : Optional.empty();
  }

  /**
   * Starts the metastore, and then all tablet servers at once; returns when all tablets are served.
   */
  static TabletCluster start(Setup setup) {
    TabletCluster cluster = new TabletCluster(setup);
    try {
      cluster.startMembers();
      cluster.launchServers();
      cluster.awaitServed();
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  /** Starts the metastore only: tablet servers are the test's own. */
  static TabletCluster startMembersOnly(Setup setup) {
    TabletCluster cluster = new TabletCluster(setup);
    try {
      cluster.startMembers();
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  /** A JVM with the class path of this one: what to put before the name of a class. */
  static List<String> java(String options, Path... before) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(List.of(SteleProcess.SHORT_LIFE.split(" ", -1)));
    command.addAll(List.of(SMALL.split(" ", -1)));
    command.addAll(List.of(options.split(" ", -1)));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-cp");
    command.add(
        Stream.concat(
                Stream.of(before).map(Path::toString),
                Stream.of(System.getProperty("java.class.path")))
            .collect(Collectors.joining(File.pathSeparator)));
    return command;
  }

  // ---- its start

  private TestCluster startGroup() {
    return TestCluster.start(
        setup.name(),
        setup.members(),
        setup.network(),
        number -> settings(List.of("--roles", number < 2 ? "metastore,master" : "metastore")));
  }

  private void startMembers() {
    if (group.isPresent()) {
      for (int i = 0; i < setup.members(); i++) {
        members.add(group.get().member(i).process());
      }
    } else {
      members.add(process("member", 0, List.of("--roles", "metastore,master")));
      members.getFirst().start();
    }
    members.forEach(member -> memberAddresses.add(member.address()));
  }

  private void launchServers() {
    for (int i = 0; i < setup.servers(); i++) {
      servers.add(process("server", setup.members() + i, roleOfServers()));
    }
    servers.forEach(SteleProcess::launch);
    servers.forEach(SteleProcess::awaitReady);
    servers.forEach(server -> serverAddresses.add(server.address()));
  }

  /** Starts one more tablet server; returns its number. */
  int startAnother() {
    int number = servers.size();
    SteleProcess another = process("server", setup.members() + number, roleOfServers());
    servers.add(another);
    another.start();
    serverAddresses.add(another.address());
    return number;
  }

  private List<String> roleOfServers() {
    return List.of("--roles", "tables", "--metastore", String.join(",", memberAddresses));
  }

  /** What makes a server one of this cluster. */
  List<String> serverArguments() {
    return settings(roleOfServers());
  }

  private SteleProcess process(String what, int host, List<String> own) {
    Path directory = data.resolve(what + "-" + host);
    List<String> command = new ArrayList<>(setup.network().runsOn(host));
    command.addAll(setup.program());
    command.addAll(
        List.of(
            "server",
            "--data",
            directory.toString(),
            "--ports",
            "auto",
            "--listen",
            setup.network().address(host)));
    command.addAll(settings(own));
    return new SteleProcess(directory, logs.resolve(what + "-" + host + ".log"), SMALL, command);
  }

  private List<String> settings(List<String> own) {
    List<String> arguments = new ArrayList<>(own);
    Stream.concat(
            Stream.of(
                "tables.shared=true",
                "tables.files=" + files(),
                "tables.session=" + setup.session().toMillis() + "ms"),
            setup.settings().stream())
        .forEach(setting -> arguments.addAll(List.of("--set", setting)));
    return arguments;
  }

  /** Where fragments and logs are. */
  String files() {
    return setup.files().orElse(data.resolve("shared").toString());
  }

  // ---- its parts

  TestNetwork network() {
    return setup.network();
  }

  Duration session() {
    return setup.session();
  }

  Path logs() {
    return logs;
  }

  /** Where nodes have their directories; it goes with the cluster. */
  Path data() {
    return data;
  }

  int memberCount() {
    return members.size();
  }

  int serverCount() {
    return servers.size();
  }

  SteleProcess member(int number) {
    return members.get(number);
  }

  SteleProcess server(int number) {
    return servers.get(number);
  }

  String serverAddress(int number) {
    return serverAddresses.get(number);
  }

  /** The host of a tablet server in the network. */
  int hostOfServer(int number) {
    return setup.members() + number;
  }

  int hosts() {
    return members.size() + servers.size();
  }

  /** The members of the metastore, where there is more than one. */
  TestCluster group() {
    return group.orElseThrow();
  }

  // ---- its clients

  /** One that waits for as long as anything may take. */
  Stele client() {
    return client(RECOVERY.multipliedBy(2));
  }

  Stele client(Duration timeout) {
    List<String> endpoints = new ArrayList<>(memberAddresses);
    endpoints.addAll(serverAddresses);
    ClientSettings settings =
        ClientSettings.DEFAULTS.withCalls(
            CallSettings.DEFAULTS
                .withTimeout(timeout)
                .withAttemptTimeout(Duration.ofSeconds(2))
                .withPauses(Duration.ofMillis(20), Duration.ofMillis(200)));
    return Stele.builder().endpoints(endpoints).settings(settings).connect();
  }

  // ---- how it is

  /** Waits until every server is there and every tablet is served. */
  void awaitServed() {
    awaitServed(serverCount());
  }

  /** Waits until so many servers are there, and serve all tablets. */
  void awaitServed(int count) {
    try (Stele client = client(Duration.ofSeconds(5))) {
      await("all tablets to be served by " + count + " servers; logs in " + logs)
          .atMost(RECOVERY)
          .pollInterval(Duration.ofMillis(100))
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .untilAsserted(
              () -> {
                Cluster.Status status = client.cluster().status();
                assertThat(status.servers()).as("servers of %s", status).hasSize(count);
                assertThat(status.servers())
                    .as("servers of %s", status)
                    .allMatch(server -> server.problem().isEmpty());
                assertThat(status.unserved()).as("unserved").isEmpty();
                assertThat(client.tables().tablets(META_TABLET)).isNotEmpty();
              });
    }
  }

  /** The number of the member that is the master. */
  int awaitMaster() {
    try (Stele client = client(Duration.ofSeconds(5))) {
      return await("a master")
          .atMost(RECOVERY)
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(
              () -> memberAddresses.indexOf(client.cluster().status().master()),
              number -> number >= 0);
    }
  }

  /** The number of the server that has the tablet with this row. */
  int awaitOwner(String table, String row) {
    try (Stele client = client(Duration.ofSeconds(5))) {
      return await("an owner of row " + row + " of table " + table)
          .atMost(RECOVERY)
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(() -> owner(client, table, row), number -> number >= 0);
    }
  }

  private int owner(Stele client, String table, String row) {
    return client.tables().tablets(table).stream()
        .filter(tablet -> holds(tablet, Bytes.utf8(row)))
        .mapToInt(tablet -> serverAddresses.indexOf(tablet.location()))
        .findFirst()
        .orElse(-1);
  }

  private static boolean holds(TabletInfo tablet, Bytes row) {
    return (tablet.first().isEmpty() || tablet.first().compareTo(row) < 0)
        && (tablet.last().isEmpty() || tablet.last().get().compareTo(row) >= 0);
  }

  // ---- harm

  /** Cuts a tablet server off from all other nodes; the test still reaches it. */
  void isolateServer(int number) {
    int host = hostOfServer(number);
    IntStream.range(0, hosts())
        .filter(other -> other != host)
        .forEach(
            other -> {
              network().cut(host, other);
              network().cut(other, host);
            });
  }

  @Override
  public void close() {
    servers.forEach(SteleProcess::close);
    if (group.isPresent()) {
      group.get().close(); // and the network
    } else {
      members.forEach(SteleProcess::close);
      setup.network().close();
    }
    try {
      delete(data);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
