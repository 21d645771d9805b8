package io.stele.it.process;

import static org.awaitility.Awaitility.await;

import io.stele.base.error.ConflictException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.process.FileTree;
import io.stele.base.process.ServerProcess;
import io.stele.base.process.SteleProgram;
import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.Member;
import io.stele.client.metastore.MemberReport;
import io.stele.client.metastore.MemberStatus;
import io.stele.client.metastore.MetastoreAdmin;
import io.stele.testkit.process.Network;
import io.stele.testkit.process.SmallDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Servers as processes, each on a host of its own where the network has several. Those with the
 * role {@code metastore} are started first and form one group; the others join them.
 *
 * <pre>{@code
 * try (SteleCluster cluster =
 *         SteleCluster.named("faults")
 *             .with(3, "metastore,master")
 *             .with(4, "tables")
 *             .set("tables.shared=true")
 *             .start();
 *     Stele stele = cluster.client()) {
 *   cluster.server(cluster.awaitLeader()).kill();
 * }
 * }</pre>
 *
 * <p>Servers have numbers from 0, in the order in which they are named. Closing the cluster kills
 * them and deletes their data; their logs stay in {@code it/target/processes/NAME}.
 */
public final class SteleCluster implements AutoCloseable {
  /** Within which everything must be served again once nothing is in the way. */
  public static final Duration RECOVERY = Duration.ofSeconds(60);

  /** Stands for the directory of the cluster in settings. */
  public static final String DATA = "${data}";

  private static final String METASTORE = "metastore";

  /** Elections within a second, though several servers share a core. */
  public static final List<String> QUICK_ELECTIONS =
      List.of(
          "metastore.raft.election-min=500ms",
          "metastore.raft.election-max=1s",
          "metastore.raft.request=2s");

  /** One server: its process may be replaced, its place in the network stays. */
  private record Node(String roles, ServerProcess process) {
    boolean has(String role) {
      return List.of(roles.split(",", -1)).contains(role);
    }
  }

  /** What a cluster consists of; not started yet. */
  public static final class Plan {
    private final String name;
    private final List<String> roles = new ArrayList<>(); // of each server
    private final List<String> settings = new ArrayList<>(QUICK_ELECTIONS);
    private Network network = new Network.Loopback();
    private SteleProgram program = Servers.launched("256m");
    private int megabytes; // of each server's disk; 0 for that of the machine

    private Plan(String name) {
      this.name = name;
    }

    /** So many more servers with these roles. */
    public Plan with(int count, String sameRoles) {
      for (int i = 0; i < count; i++) {
        roles.add(sameRoles);
      }
      return this;
    }

    /** Settings of all servers, such as {@code tables.files=${data}/shared}. */
    public Plan set(String... more) {
      settings.addAll(List.of(more));
      return this;
    }

    /** The network, which is closed with the cluster. */
    public Plan on(Network other) {
      this.network = other;
      return this;
    }

    /** Each server has its directory on a disk of its own, for {@link Fault.Kind#FULL_DISK}. */
    public Plan onDisksOf(int wanted) {
      SmallDisk.require();
      this.megabytes = wanted;
      return this;
    }

    public Plan by(SteleProgram other) {
      this.program = other;
      return this;
    }

    private List<String> members() {
      return roles.stream().filter(each -> each.contains(METASTORE)).toList();
    }

    /** Starts all servers; returns when the metastore serves and all others are ready. */
    public SteleCluster start() {
      SteleCluster cluster = new SteleCluster(this);
      try {
        cluster.startMembers(cluster.plan.members().size() > 1);
        cluster.bootstrap();
        cluster.startOthers();
        return cluster;
      } catch (RuntimeException | Error e) {
        cluster.close();
        throw e;
      }
    }

    /** Starts members of the metastore that form no group. */
    public SteleCluster startUnformed() {
      SteleCluster cluster = new SteleCluster(this);
      try {
        cluster.startMembers(true);
        return cluster;
      } catch (RuntimeException | Error e) {
        cluster.close();
        throw e;
      }
    }
  }

  private final Plan plan;
  private final Path data;
  private final Path logs;
  private final List<SmallDisk> disks = new ArrayList<>();
  private final List<Node> nodes = new CopyOnWriteArrayList<>();
  private final AtomicInteger made = new AtomicInteger();

  private SteleCluster(Plan plan) {
    this.plan = plan;
    this.logs = Servers.logs(plan.name);
    try {
      this.data = Files.createTempDirectory("stele-" + plan.name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Plan named(String name) {
    return new Plan(name);
  }

  // ---- start

  /** One that does not wait for a group is a group of one by itself. */
  private void startMembers(boolean wait) {
    plan.members().forEach(roles -> add(roles, wait ? List.of("--wait") : List.of()));
    startAll(with(METASTORE));
  }

  private void bootstrap() {
    if (nodes.size() == 1) {
      return;
    }
    try (Stele client = members()) {
      try {
        client.metastore().admin().bootstrap(endpoints());
      } catch (UnavailableException | OutcomeUnknownException | ConflictException e) {
        // On a slow machine: the call was repeated, or the others take part a little later.
      }
      await("a leader of " + nodes.size() + " members; logs in " + logs)
          .atMost(RECOVERY.multipliedBy(2))
          .until(() -> leader(client).isPresent() && status(client).size() == nodes.size());
    }
  }

  private void startOthers() {
    int first = nodes.size();
    plan.roles.stream()
        .filter(roles -> !roles.contains(METASTORE))
        .forEach(roles -> add(roles, joining()));
    startAll(IntStream.range(first, nodes.size()).boxed().toList());
  }

  private List<String> joining() {
    return List.of("--metastore", String.join(",", addresses(with(METASTORE))));
  }

  /** Starts one more server and returns its number. A member belongs to no group yet. */
  public int startAnother(String roles) {
    int number = add(roles, roles.contains(METASTORE) ? List.of("--wait") : joining());
    server(number).start();
    return number;
  }

  private int add(String roles, List<String> more) {
    int number = nodes.size();
    nodes.add(new Node(roles, process(number, roles, more)));
    return number;
  }

  /** A server with a directory that no other had before. */
  private ServerProcess process(int host, String roles, List<String> more) {
    String name = "%s-%d-%d".formatted(roles.replace(',', '-'), host, made.incrementAndGet());
    if (plan.megabytes > 0) {
      disks.add(SmallDisk.mount(data.resolve(name), plan.megabytes));
    }
    return process(name, host, roles, more);
  }

  private ServerProcess process(String name, int host, String roles, List<String> more) {
    List<String> arguments = new ArrayList<>(List.of("server"));
    arguments.addAll(List.of("--listen", plan.network.address(host), "--insecure"));
    arguments.addAll(arguments(roles));
    arguments.addAll(more);
    return new ServerProcess(
        name,
        plan.program.behind(plan.network.runsOn(host)),
        data.resolve(name),
        logs.resolve(name + ".log"),
        arguments);
  }

  private List<String> arguments(String roles) {
    List<String> arguments = new ArrayList<>(List.of("--roles", roles));
    plan.settings.forEach(
        setting -> arguments.addAll(List.of("--set", setting.replace(DATA, data.toString()))));
    return arguments;
  }

  /**
   * Not started yet: several more servers in one process, which are not counted among those of the
   * cluster.
   *
   * @param settings that override those of the cluster
   */
  public ServerPack pack(String name, int count, String roles, String... settings) {
    List<String> arguments = new ArrayList<>(arguments(roles));
    arguments.addAll(joining());
    Stream.of(settings).forEach(setting -> arguments.addAll(List.of("--set", setting)));
    return new ServerPack(data.resolve(name), logs.resolve(name + ".log"), count, arguments);
  }

  // ---- servers

  public Network network() {
    return plan.network;
  }

  public Path logs() {
    return logs;
  }

  /** Where servers have their directories; it is deleted with the cluster. */
  public Path data() {
    return data;
  }

  public int size() {
    return nodes.size();
  }

  public ServerProcess server(int number) {
    return nodes.get(number).process;
  }

  /** The numbers of all servers with a role. */
  public List<Integer> with(String role) {
    return IntStream.range(0, nodes.size())
        .filter(number -> nodes.get(number).has(role))
        .boxed()
        .toList();
  }

  /** The members of the metastore but one. */
  public List<Integer> otherMembers(int number) {
    return with(METASTORE).stream().filter(other -> other != number).toList();
  }

  /** The native addresses of some servers. */
  public List<String> addresses(List<Integer> numbers) {
    return numbers.stream().map(number -> server(number).address()).toList();
  }

  /** The native addresses of all servers. */
  public List<String> endpoints() {
    return nodes.stream().map(node -> node.process.address()).toList();
  }

  /** The number of the server with this native address; -1 if there is none. */
  public int numberOf(String address) {
    return endpoints().indexOf(address);
  }

  // ---- harm

  boolean hasSmallDisks() {
    return !disks.isEmpty();
  }

  public void killAll(List<Integer> numbers) {
    numbers.forEach(number -> server(number).kill());
  }

  /** Starts servers at once, and waits until all of them are ready. */
  public void startAll(List<Integer> numbers) {
    numbers.forEach(number -> server(number).launch());
    numbers.forEach(number -> server(number).awaitReady());
  }

  /** Cuts a server off from all others; the test still reaches it. */
  public void isolate(int number) {
    plan.network.isolate(number, nodes.size());
  }

  /** Stops a server in an orderly way, and starts it on its directory with some more settings. */
  public void restart(int number, String... settings) {
    Node before = nodes.get(number);
    before.process.terminate();
    var _ = before.process.awaitExit(RECOVERY);
    List<String> more = new ArrayList<>();
    for (String setting : settings) {
      more.addAll(List.of("--set", setting));
    }
    Path data = before.process.data();
    ServerProcess after =
        process(data.getFileName().toString(), number, before.roles, List.copyOf(more));
    nodes.set(number, new Node(before.roles, after));
    after.start();
  }

  /** Kills a server and starts it again without some of its directory. */
  public void wipe(int number, String part) {
    server(number).kill();
    FileTree.delete(server(number).data().resolve(part));
    server(number).start();
  }

  /**
   * Kills a server for good and starts one with an empty directory in its place. A member of the
   * metastore is replaced in its group, at the same address for clients.
   */
  public void replace(int number) {
    Node dead = nodes.get(number);
    if (!dead.has(METASTORE)) {
      dead.process.kill();
      nodes.set(number, new Node(dead.roles, process(number, dead.roles, joining())));
      server(number).start();
      return;
    }
    String address = dead.process.address();
    String id = memberAt(address).id();
    dead.process.kill();
    String port = address.substring(address.lastIndexOf(':') + 1);
    List<String> more = List.of("--wait", "--port", port);
    nodes.set(number, new Node(dead.roles, process(number, dead.roles, more)));
    server(number).start();
    try (Stele client = client(otherMembers(number).getFirst())) {
      MetastoreAdmin admin = client.metastore().admin();
      await("a group that takes the new member; logs in " + logs)
          .atMost(RECOVERY.multipliedBy(2))
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(() -> holds(admin, id, address));
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

  /** The member of the group at an address. */
  public Member memberAt(String address) {
    try (Stele client = members()) {
      return await("the member at " + address)
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

  // ---- leader

  /** The status of the members that answer. */
  public List<MemberStatus> status() {
    try (Stele client = members()) {
      return status(client);
    }
  }

  private static List<MemberStatus> status(Stele client) {
    return client.metastore().admin().status().stream()
        .filter(MemberReport.Reached.class::isInstance)
        .map(report -> ((MemberReport.Reached) report).status())
        .toList();
  }

  /** The number of the member that leads and is ready, if one says so; the newest, if several. */
  public Optional<Integer> leader(Stele client) {
    return status(client).stream()
        .filter(status -> status.role().equals("LEADER") && status.ready())
        .max(Comparator.comparingLong(MemberStatus::term))
        .map(status -> numberOf(status.self().serviceAddress()))
        .filter(number -> number >= 0);
  }

  public int awaitLeader() {
    return awaitOtherLeader(-1);
  }

  /** Waits for a leader that is not the given one. */
  public int awaitOtherLeader(int former) {
    try (Stele client = members()) {
      return await("a leader other than " + former + "; logs in " + logs)
          .atMost(RECOVERY)
          .until(() -> leader(client).filter(number -> number != former), Optional::isPresent)
          .orElseThrow();
    }
  }

  /** Waits until the metastore takes a change and reads it back. Returns how long that took. */
  public Duration awaitProgress() {
    long start = Clock.system().nanos();
    try (Stele client = members()) {
      String value = Integer.toString(made.incrementAndGet());
      await("a change that is taken, and read back; logs in " + logs)
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

  // ---- clients

  /** A client of all servers that goes on to the next one soon, and waits long in all. */
  public Stele client() {
    return client(0);
  }

  /** Likewise, but it asks one server first. */
  public Stele client(int first) {
    return client(first, patience(RECOVERY.multipliedBy(2)));
  }

  public Stele client(int first, ClientSettings settings) {
    List<String> endpoints = endpoints();
    List<String> rotated =
        IntStream.range(0, endpoints.size())
            .mapToObj(i -> endpoints.get((first + i) % endpoints.size()))
            .toList();
    return Stele.builder().endpoints(rotated).settings(settings).connect();
  }

  /** A client that knows one server only. */
  public Stele clientOfOnly(int number, ClientSettings settings) {
    return Stele.builder().endpoints(server(number).address()).settings(settings).connect();
  }

  /** A client of the members of the metastore alone, which gives up after the usual time. */
  private Stele members() {
    ClientSettings settings =
        ClientSettings.DEFAULTS.withCalls(
            CallSettings.DEFAULTS.withAttemptTimeout(Duration.ofSeconds(2)));
    return Stele.builder().endpoints(addresses(with(METASTORE))).settings(settings).connect();
  }

  /** Settings of a client that fails after so long. */
  public static ClientSettings patience(Duration timeout) {
    return ClientSettings.DEFAULTS.withCalls(
        CallSettings.DEFAULTS
            .withTimeout(timeout)
            .withAttemptTimeout(Duration.ofSeconds(2))
            .withPauses(Duration.ofMillis(20), Duration.ofMillis(200)));
  }

  @Override
  public void close() {
    nodes.forEach(node -> node.process.close());
    plan.network.close();
    disks.forEach(SmallDisk::close);
    FileTree.delete(data);
  }
}
