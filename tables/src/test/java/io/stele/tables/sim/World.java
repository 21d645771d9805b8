package io.stele.tables.sim;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.table.TabletInfo;
import io.stele.base.time.Clock;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.tables.TabletServerSettings;
import io.stele.tables.cluster.SmallCluster;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.master.LiveServer;
import io.stele.tables.master.Master;
import io.stele.tables.master.MasterParts;
import io.stele.tables.master.MasterSettings;
import io.stele.tables.master.TabletControl;
import io.stele.tables.meta.MetaAccess;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.RootStore;
import io.stele.tables.meta.TableNames;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.txn.Lease;
import io.stele.tables.write.WriteSettings;
import io.stele.testkit.sim.HoldPoints;
import io.stele.testkit.sim.Intercepted;
import io.stele.testkit.sim.ProcessFiles;
import io.stele.testkit.sim.SimulatedClock;
import io.stele.testkit.sim.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Tablet servers, masters and a metastore's sessions in one process, each with a clock of its own
 * and hold points between it and all others. Faults happen here; {@link Schedule} decides which.
 *
 * <p>The hold points of a server, by what it is handed:
 *
 * <pre>
 *   files          log create · write · sync; fragment create · finish; fence replace; … delete, rename
 *   root           root save
 *   META           meta apply, meta scan, meta together: of META that is on another server
 *   lease          lease look
 *   orders         order load, answer load, and so on; applyMeta is how META of others is written
 * </pre>
 *
 * Each has a second one behind it, named with "done", where the call has been made and its caller
 * does not know yet.
 */
final class World implements AutoCloseable {
  /** Log files of one record, so that they come and go; everything else happens on request. */
  private static final TabletServerSettings SERVER =
      TabletServerSettings.DEFAULT
          .withWrites(
              new WriteSettings(
                  new CommitLogSettings(100, 0, 1L << 20, Duration.ofMillis(20)),
                  64L << 20,
                  8L << 20,
                  1L << 30,
                  1.0,
                  0.25,
                  1L << 30,
                  Duration.ofSeconds(30),
                  Duration.ofSeconds(5),
                  1 << 10))
          .withCompaction(CompactSettings.DEFAULT.withAutomatic(false))
          .withUpkeep(Duration.ofHours(10));

  private static final MasterSettings MASTER =
      MasterSettings.DEFAULT
          .withRounds(Duration.ofMillis(150), Duration.ofMillis(4), Duration.ofMillis(40))
          .withPatience(Duration.ofSeconds(60), Duration.ofSeconds(2))
          .withBalance(false, Duration.ofMillis(300))
          .withCollectEvery(Duration.ofHours(1000));

  final HoldPoints points = new HoldPoints();
  final Trace trace = new Trace();
  final Sessions sessions = new Sessions();
  final SmallCluster cluster = new SmallCluster(new Interceptors());
  private final Map<String, SimulatedClock> clocks = new ConcurrentHashMap<>(); // by machine
  private final Set<String> dead = ConcurrentHashMap.newKeySet(); // runs, and masters
  private final Set<String> frozen = ConcurrentHashMap.newKeySet();
  private final Set<String> cutOff = ConcurrentHashMap.newKeySet(); // runs without META of others
  private final Map<String, CompletableFuture<?>> failures = new ConcurrentHashMap<>(); // by run
  private final Map<String, Lease> leases = new ConcurrentHashMap<>(); // by run
  private final Map<String, Set<CompletableFuture<?>>> calls = new ConcurrentHashMap<>();
  private final List<Thread> ends = new ArrayList<>();
  private volatile Optional<Candidate> master = Optional.empty();
  private long token;

  /** A node that is, or believes to be, the master. */
  private final class Candidate {
    final String name;
    final Master master;
    volatile boolean leads = true;

    Candidate() {
      token++;
      this.name = "m" + token;
      FileStore files = files(name, cluster.files());
      MetaAccess access = meta(name, cluster.metaAccess(() -> leads));
      this.master =
          new Master(
              new MasterParts(
                  name,
                  token,
                  () -> leads,
                  cluster.membership(),
                  cluster::control,
                  new MetaTable(access, cluster.root()),
                  cluster.root(),
                  files,
                  files,
                  clock("master"),
                  CompactSettings.DEFAULT.withAutomatic(false),
                  Duration.ofHours(24),
                  event -> trace.add("  " + event)),
              MASTER);
    }

    void end() {
      leads = false;
      dead.add(name);
      points.end(name);
      master.close();
    }
  }

  /** Between a server and the rest. */
  private final class Interceptors implements SmallCluster.Surroundings {
    @Override
    public FileStore files(LiveServer server, FileStore files) {
      return World.this.files(server.run(), files);
    }

    @Override
    public RootStore root(LiveServer server, RootStore root) {
      return Intercepted.of(
          RootStore.class,
          root,
          (method, _, rest) -> around(server.run(), "root " + method.getName(), rest));
    }

    @Override
    public MetaAccess elsewhere(LiveServer server, MetaAccess meta) {
      return meta(server.run(), meta);
    }

    @Override
    public Lease lease(LiveServer server, Lease lease) {
      Lease own = sessions.begin(server.run(), World.this.clock(server.address())).lease();
      leases.put(server.run(), own);
      return () -> {
        points.pass(server.run(), "lease look");
        return lease.isHeld() && own.isHeld();
      };
    }

    @Override
    public Clock clock(LiveServer server, Clock clock) {
      return World.this.clock(server.address());
    }

    @Override
    public TabletControl control(LiveServer server, TabletControl control) {
      return Intercepted.of(
          TabletControl.class,
          control,
          (method, _, rest) -> remotely(server.run(), method.getName(), rest));
    }
  }

  private FileStore files(String owner, FileStore files) {
    return new ProcessFiles(owner, points, () -> dead.contains(owner), World::kind).of(files);
  }

  /** What a file is, for the names of hold points. */
  private static String kind(FilePath path) {
    if (path.name().endsWith(".log")) {
      return "log";
    }
    return path.name().endsWith(".frag")
        ? "fragment"
        : path.name().equals("FENCED") ? "fence" : "file";
  }

  private MetaAccess meta(String owner, MetaAccess meta) {
    return Intercepted.of(
        MetaAccess.class,
        meta,
        (method, _, rest) -> {
          if (cutOff.contains(owner)) {
            throw new UnavailableException("META cannot be reached by " + owner);
          }
          return around(owner, "meta " + method.getName(), rest);
        });
  }

  private @Nullable Object around(String owner, String point, Intercepted.Rest rest)
      throws Throwable {
    points.pass(owner, point);
    if (dead.contains(owner)) {
      throw new UnavailableException(owner + " has died");
    }
    Object answer = rest.proceed();
    points.pass(owner, point + " done");
    if (dead.contains(owner)) {
      throw new OutcomeUnknownException(owner + " has died");
    }
    return answer;
  }

  private @Nullable Object remotely(String run, String method, Intercepted.Rest rest)
      throws Throwable {
    return connected(run, method, () -> around(run, "order " + method, rest));
  }

  /** What is done at a server. */
  interface Call<T extends @Nullable Object> {
    T make() throws Throwable;
  }

  /**
   * A call over a network: the callee's thread goes on whatever the caller does, and the caller is
   * told when the callee dies.
   */
  <T extends @Nullable Object> T connected(String run, String name, Call<T> call) throws Throwable {
    if (dead.contains(run)) {
      throw new NotServingException(run + " cannot be reached");
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    Set<CompletableFuture<?>> open = calls.computeIfAbsent(run, _ -> ConcurrentHashMap.newKeySet());
    open.add(answer);
    Thread.ofVirtual()
        .name(run + "-" + name)
        .start(
            () -> {
              try {
                answer.complete(call.make());
              } catch (Throwable e) {
                answer.completeExceptionally(e);
              }
            });
    try {
      if (dead.contains(run)) { // just now: nobody else may see that this call is open
        answer.completeExceptionally(new OutcomeUnknownException(run + " was lost"));
      }
      return answer.get();
    } catch (ExecutionException e) {
      throw e.getCause();
    } catch (InterruptedException e) {
      throw new UnavailableException("the call of " + run + " was given up", e);
    } finally {
      open.remove(answer);
    }
  }

  // ---- clocks

  /** The clock of a machine, which outlives its processes. */
  SimulatedClock clock(String machine) {
    return clocks.computeIfAbsent(machine, _ -> new SimulatedClock(Clock.system(), Duration.ZERO));
  }

  /** Sets how wrong a machine's wall clock is, before it starts. */
  void clock(String machine, Duration error) {
    clocks.put(machine, new SimulatedClock(Clock.system(), error));
  }

  /** Lets time pass: sessions are renewed or end, and servers learn that theirs have. */
  void pass(Duration time) {
    clocks.values().forEach(clock -> clock.advance(time));
    for (String run : sessions.pass(time)) {
      trace.add("  session of " + run + " ends");
      find(run).ifPresent(Node::isHeldForDead);
    }
    master.ifPresent(each -> each.master.wake());
    endThoseThatKnow();
  }

  /** A server that learns that its session is over, or whose log has failed, ends. */
  void endThoseThatKnow() {
    for (Node node : nodes()) {
      String run = node.self().run();
      if (!frozen.contains(run) && !dead.contains(run)) {
        boolean failed =
            failures.computeIfAbsent(run, _ -> node.server().failure()).isCompletedExceptionally();
        if (failed || !sessions.exists(run)) {
          trace.add("  " + run + " ends by itself" + (failed ? ": it failed" : ""));
          kill(node);
          if (sessions.exists(run)) {
            sessions.end(run);
            node.isHeldForDead();
          }
        }
      }
    }
  }

  // ---- servers

  private final List<Node> nodes = new ArrayList<>(); // of processes that live

  Node start(String address) {
    Node node = cluster.start(address, SERVER);
    nodes.add(node);
    trace.add("  " + address + " is " + node.self().run());
    master.ifPresent(each -> each.master.wake());
    return node;
  }

  /** Servers whose processes live, whatever is believed of them. */
  List<Node> nodes() {
    return List.copyOf(nodes);
  }

  /** Those that can do something now. */
  List<Node> working() {
    return nodes.stream()
        .filter(node -> !frozen.contains(node.self().run()))
        .filter(node -> sessions.exists(node.self().run()))
        .toList();
  }

  private Optional<Node> find(String run) {
    return cluster.nodes().stream().filter(node -> node.self().run().equals(run)).findFirst();
  }

  boolean isFrozen(Node node) {
    return frozen.contains(node.self().run());
  }

  /** Ends a process in the middle of whatever it does; its session ends later. */
  void kill(Node node) {
    String run = node.self().run();
    nodes.remove(node);
    dead.add(run);
    frozen.remove(run);
    cutOff.remove(run);
    clock(node.self().address()).suspend(false);
    sessions.cutOff(run);
    points.end(run);
    ends.add(Thread.ofVirtual().start(node::crash)); // waits for its threads
    calls
        .getOrDefault(run, Set.of())
        .forEach(
            call -> call.completeExceptionally(new OutcomeUnknownException(run + " was lost")));
    master.ifPresent(each -> each.master.wake());
  }

  /** From now on a server does not reach META on other servers; everything else it does. */
  void cutOffFromMeta(Node node) {
    cutOff.add(node.self().run());
  }

  void reconnect(Node node) {
    cutOff.remove(node.self().run());
  }

  boolean anybodyIsCutOff() {
    return !cutOff.isEmpty();
  }

  /** Suspends a machine: its threads stop, its monotonic clock too. */
  void freeze(Node node) {
    String run = node.self().run();
    frozen.add(run);
    sessions.cutOff(run);
    clock(node.self().address()).suspend(true);
    points.freeze(run);
  }

  /** It goes on, and believes that nothing has happened. */
  void thaw(Node node) {
    String run = node.self().run();
    clock(node.self().address()).suspend(false);
    frozen.remove(run);
    points.thaw(run);
  }

  /** All machines at once; what was not synced is gone, as far as the mode says. */
  void losePower(CrashMode mode) {
    master.ifPresent(Candidate::end);
    master = Optional.empty();
    for (Node node : nodes()) {
      dead.add(node.self().run());
    }
    cluster.losePower(mode);
    for (Node node : nodes()) {
      kill(node);
      sessions.end(node.self().run());
    }
    nodes.clear();
  }

  // ---- masters

  /** Elects another master; the last one does not know yet, and goes on for a while. */
  Runnable elect() {
    Optional<Candidate> last = master;
    Candidate next = new Candidate();
    trace.add("  " + next.name + " is master");
    master = Optional.of(next);
    next.master.start();
    return () -> last.ifPresent(Candidate::end);
  }

  Master master() {
    return master.orElseThrow(() -> new UnavailableException("there is no master")).master;
  }

  /** The tablets of a table at a server; none if it has died. */
  static List<TabletInfo> tablets(Node node, String table) {
    try {
      return node.hasEnded() ? List.of() : node.server().control().tablets(table);
    } catch (UnavailableException e) { // just now
      return List.of();
    }
  }

  /** How a client finds who serves a row: by asking those who live. */
  Optional<Node> owner(String table, Bytes row) {
    return cluster.nodes().stream()
        .filter(
            node ->
                tablets(node, table).stream()
                    .anyMatch(tablet -> tablet.range().contains(row) && isServed(tablet)))
        .findFirst();
  }

  private static boolean isServed(TabletInfo tablet) {
    return tablet.state() >= TabletState.FRAGMENTS_LOADING.number()
        && tablet.state() <= TabletState.READ_ONLY.number();
  }

  /** Tablets that more than one server would answer for at this moment. */
  List<String> twoOwners() {
    Map<String, List<String>> owners = new TreeMap<>();
    for (Node node : nodes()) {
      Lease lease = leases.get(node.self().run());
      if (!isFrozen(node) && lease != null && lease.isHeld()) {
        for (String table : List.of(TableNames.META0, TableNames.META1, Workload.TABLE)) {
          for (TabletInfo tablet : tablets(node, table)) {
            if (isServed(tablet)) {
              owners
                  .computeIfAbsent(
                      table + " up to " + tablet.last().map(Bytes::toString).orElse("the end"),
                      _ -> new ArrayList<>())
                  .add(node.toString());
            }
          }
        }
      }
    }
    return owners.entrySet().stream()
        .filter(entry -> entry.getValue().size() > 1)
        .map(entry -> entry.getKey() + " is served by " + entry.getValue())
        .toList();
  }

  @Override
  public void close() throws InterruptedException {
    points.releaseAll();
    master.ifPresent(Candidate::end);
    for (Node node : nodes()) {
      kill(node);
    }
    cluster.close();
    for (Thread end : ends) {
      end.join(Duration.ofSeconds(20));
    }
  }
}
