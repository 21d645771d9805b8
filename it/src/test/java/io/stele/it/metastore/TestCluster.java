package io.stele.it.metastore;

import static org.awaitility.Awaitility.await;

import io.stele.base.error.ConflictException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.Member;
import io.stele.client.metastore.MemberReport;
import io.stele.client.metastore.MemberStatus;
import io.stele.client.metastore.MetastoreAdmin;
import io.stele.it.SteleProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Servers as processes, each on a host of its own where the network has such, that form one group.
 * Closing it ends them and deletes their data; their logs stay in the folder {@code
 * target/metastore} of this module.
 */
public final class TestCluster implements AutoCloseable {
  private static final Path LOGS = SteleProcess.target().resolve("metastore");

  /** Within which a majority that can talk to each other must serve. */
  public static final Duration RECOVERY = Duration.ofSeconds(45);

  private static final List<String> SETTINGS =
      List.of(
          "--wait",
          "--set",
          "metastore.raft.election-min=500ms",
          "--set",
          "metastore.raft.election-max=1s",
          "--set",
          "metastore.raft.request=2s");

  private static final List<String> METASTORE_ALONE = List.of("--roles", "metastore");

  private final TestNetwork network;
  private final Path data;
  private final Path logs;
  private final List<String> settings;
  private final IntFunction<List<String>> own;
  private final List<MemberProcess> members = new ArrayList<>();
  private final List<String> endpoints = new ArrayList<>();
  private final AtomicLong probes = new AtomicLong();

  private TestCluster(
      String name, TestNetwork network, List<String> settings, IntFunction<List<String>> own) {
    this.network = network;
    this.settings = settings;
    this.own = own;
    this.logs = LOGS.resolve(name);
    try {
      this.data = Files.createTempDirectory("stele-" + name);
      delete(logs);
      Files.createDirectories(logs);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts this many servers and makes them one group, on the loopback. */
  static TestCluster start(String name, int count, String... settings) {
    return start(name, count, new TestNetwork.Loopback(), settings);
  }

  /**
   * Starts this many servers and makes them one group.
   *
   * @param network which is closed with the cluster
   * @param settings such as {@code metastore.raft.keep-entries=100}
   */
  static TestCluster start(String name, int count, TestNetwork network, String... settings) {
    return start(name, count, network, _ -> METASTORE_ALONE, settings);
  }

  /**
   * Starts this many servers and makes them one group.
   *
   * @param own the arguments of each, by its number
   */
  public static TestCluster start(
      String name,
      int count,
      TestNetwork network,
      IntFunction<List<String>> own,
      String... settings) {
    TestCluster cluster = unformed(name, count, network, own, settings);
    try {
      cluster.bootstrap();
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  private void bootstrap() {
    try (Stele first = client(0)) {
      first.metastore().admin().bootstrap(endpoints());
    } catch (UnavailableException | OutcomeUnknownException | ConflictException e) {
      // On a slow machine: the call was repeated, or the others take part a little later.
    }
    await("a leader of " + size() + " members")
        .atMost(RECOVERY.multipliedBy(2))
        .until(() -> leader().isPresent() && status().size() == size());
  }

  /** Starts this many servers that belong to no group. */
  static TestCluster unformed(String name, int count, TestNetwork network, String... settings) {
    return unformed(name, count, network, _ -> METASTORE_ALONE, settings);
  }

  private static TestCluster unformed(
      String name,
      int count,
      TestNetwork network,
      IntFunction<List<String>> own,
      String... settings) {
    List<String> arguments = new ArrayList<>(SETTINGS);
    for (String setting : settings) {
      arguments.addAll(List.of("--set", setting));
    }
    TestCluster cluster = new TestCluster(name, network, arguments, own);
    try {
      for (int i = 0; i < count; i++) {
        cluster.members.add(cluster.process(i, "", List.of()));
      }
      cluster.members.forEach(MemberProcess::launch);
      cluster.members.forEach(MemberProcess::awaitReady);
      cluster.members.forEach(member -> cluster.endpoints.add(member.address()));
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  private MemberProcess process(int host, String suffix, List<String> more) {
    List<String> arguments = new ArrayList<>(settings);
    arguments.addAll(own.apply(host));
    arguments.addAll(more);
    return new MemberProcess(
        network,
        host,
        data.resolve("member-" + host + suffix),
        logs.resolve("member-" + host + suffix + ".log"),
        arguments);
  }

  // ---- its members

  public TestNetwork network() {
    return network;
  }

  public int size() {
    return members.size();
  }

  public synchronized MemberProcess member(int number) {
    return members.get(number);
  }

  public List<String> endpoints() {
    return List.copyOf(endpoints);
  }

  public Path logs() {
    return logs;
  }

  /** Where servers keep what they have; it goes with the cluster. */
  public Path data() {
    return data;
  }

  /** Starts one more server, which belongs to no group yet. Returns its number. */
  synchronized int startAnother() {
    int host = members.size();
    MemberProcess another = process(host, "", List.of());
    members.add(another);
    another.start();
    endpoints.add(another.address());
    return host;
  }

  /**
   * Kills a member and puts a server with an empty directory in its place, at the same address for
   * clients.
   */
  void replace(int number) {
    String address = endpoints.get(number);
    Member dead = memberAt(address);
    member(number).kill9();
    String port = address.substring(address.lastIndexOf(':') + 1);
    MemberProcess fresh = process(number, "-" + probes.incrementAndGet(), List.of("--port", port));
    synchronized (this) {
      members.set(number, fresh);
    }
    fresh.start();
    try (Stele client = client((number + 1) % size())) {
      MetastoreAdmin admin = client.metastore().admin();
      await("a group that takes the new member")
          .atMost(RECOVERY.multipliedBy(2))
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(() -> holds(admin, dead.id(), address));
    }
  }

  /** Whether the new one is a member and the dead one is not, after seeing to that. */
  private static boolean holds(MetastoreAdmin admin, String dead, String address) {
    List<Member> now = admin.members();
    if (now.stream().anyMatch(member -> member.id().equals(dead))) {
      now = admin.replace(dead, address);
    }
    return now.stream()
        .anyMatch(member -> member.serviceAddress().equals(address) && !member.id().equals(dead));
  }

  private Member memberAt(String address) {
    try (Stele client = client(0)) {
      return await("the members' names")
          .atMost(RECOVERY)
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(
              () ->
                  client.metastore().admin().members().stream()
                      .filter(member -> member.serviceAddress().equals(address))
                      .findAny(),
              Optional::isPresent)
          .orElseThrow();
    }
  }

  // ---- its leader

  /** How the members are that answer. */
  List<MemberStatus> status() {
    try (Stele client = client(0)) {
      return client.metastore().admin().status().stream()
          .filter(MemberReport.Reached.class::isInstance)
          .map(report -> ((MemberReport.Reached) report).status())
          .toList();
    }
  }

  /** The number of the member that leads and is ready, if one says so; the newest, if several. */
  Optional<Integer> leader() {
    return status().stream()
        .filter(status -> status.role().equals("LEADER") && status.ready())
        .max(Comparator.comparingLong(MemberStatus::term))
        .map(status -> endpoints.indexOf(status.self().serviceAddress()))
        .filter(number -> number >= 0);
  }

  public int awaitLeader() {
    return await("a leader")
        .atMost(RECOVERY)
        .until(this::leader, Optional::isPresent)
        .orElseThrow();
  }

  /** Waits for a leader that is not the given one. */
  public int awaitOtherLeader(int former) {
    return await("a leader other than member " + former)
        .atMost(RECOVERY)
        .until(() -> leader().filter(number -> number != former), Optional::isPresent)
        .orElseThrow();
  }

  /** The members but one. */
  List<Integer> others(int number) {
    return IntStream.range(0, size()).filter(other -> other != number).boxed().toList();
  }

  // ---- its clients

  /** A client that asks this member first. */
  Stele client(int first) {
    return client(
        first,
        ClientSettings.DEFAULTS.withCalls(
            CallSettings.DEFAULTS.withAttemptTimeout(Duration.ofSeconds(2))));
  }

  Stele client(int first, ClientSettings clientSettings) {
    List<String> rotated = new ArrayList<>();
    for (int i = 0; i < endpoints.size(); i++) {
      rotated.add(endpoints.get((first + i) % endpoints.size()));
    }
    return Stele.builder().endpoints(rotated).settings(clientSettings).connect();
  }

  /** A client that knows this member only. */
  Stele clientOfOnly(int number, ClientSettings clientSettings) {
    return Stele.builder().endpoints(endpoints.get(number)).settings(clientSettings).connect();
  }

  /** Waits until the group takes changes and reads them back. Returns how long that took. */
  public Duration awaitProgress() {
    long start = Clock.system().nanos();
    try (Stele client = client(0)) {
      String value = Long.toString(probes.incrementAndGet());
      await("a change that is taken, and read back")
          .atMost(RECOVERY)
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(
              () -> {
                client.metastore().put("/probe", value);
                return client
                    .metastore()
                    .get("/probe")
                    .filter(found -> found.text().equals(value))
                    .isPresent();
              });
    }
    return Duration.ofNanos(Clock.system().nanos() - start);
  }

  @Override
  public void close() {
    List<MemberProcess> ending;
    synchronized (this) {
      ending = List.copyOf(members);
    }
    ending.forEach(MemberProcess::close);
    network.close();
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
