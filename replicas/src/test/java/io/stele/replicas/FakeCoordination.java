package io.stele.replicas;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Subscription;
import io.stele.replicas.metadata.Coordination;
import io.stele.replicas.metadata.TableConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A coordination service in memory that several servers share, with the faults of a real one.
 *
 * <pre>{@code
 * FakeCoordination service = new FakeCoordination();
 * service.live("a", "host-a");
 * Coordination seenByA = service.of("a");
 * service.loseAnswer("a"); // the next change that a asks for is made, and a is not told
 * service.beforeChange("a", () -> ...); // a race: runs before the next change that a asks for
 * service.away("a"); // a cannot ask it any more, and keeps its session
 * }</pre>
 *
 * <p>Any number of threads may use it. Watchers are called on virtual threads, or as told.
 */
public final class FakeCoordination {
  /** What becomes of a change. */
  private enum Fault {
    LOSE_REQUEST,
    LOSE_ANSWER,
    REFUSE
  }

  private record Watcher(String server, Runnable changed) {}

  private final Executor notices;

  // Guarded by this.
  private final NavigableMap<String, Coordination.Kept> tables = new TreeMap<>();
  private final NavigableMap<String, Coordination.LiveServer> servers = new TreeMap<>();
  private final Set<String> dropped = new HashSet<>();
  private final Set<String> otherKinds = new HashSet<>();
  private final Set<String> away = new HashSet<>();
  private final Map<String, Integer> failures = new HashMap<>();
  private final Map<String, Deque<Fault>> faults = new HashMap<>();
  private final Map<String, Deque<Runnable>> races = new HashMap<>();
  private final List<Watcher> watchers = new ArrayList<>();
  private Optional<String> cluster = Optional.empty();
  private String leader = "";
  private boolean silent;
  private boolean everybodyAway;
  private long version;
  private long reads;

  public FakeCoordination() {
    this(task -> Thread.ofVirtual().name("watch").start(task));
  }

  /**
   * A service without tables and servers.
   *
   * @param notices runs what watchers want to be called
   */
  public FakeCoordination(Executor notices) {
    this.notices = notices;
  }

  /** The service as a server sees it. */
  public Coordination of(String server) {
    return of(server, new CrashPoint());
  }

  /** The service as a server sees it that may be killed at any call. */
  public Coordination of(String server, CrashPoint crash) {
    return new Seen(server, crash);
  }

  // ---- servers

  public void live(String id, String address) {
    live(new Coordination.LiveServer(id, address, 500L << 30, 1000L << 30));
  }

  /** A session begins, or says something else. */
  public void live(Coordination.LiveServer server) {
    synchronized (this) {
      servers.put(server.id(), server);
    }
    tell();
  }

  /** A session ends. */
  public void dead(String id) {
    synchronized (this) {
      servers.remove(id);
    }
    tell();
  }

  public synchronized void lead(String id) {
    leader = id;
  }

  /** There is a table of another kind of this name. */
  public synchronized void takeName(String name) {
    otherKinds.add(name);
  }

  // ---- faults

  /** A server cannot ask any more; its session goes on. */
  public synchronized void away(String server) {
    away.add(server);
  }

  public void back(String server) {
    synchronized (this) {
      away.remove(server);
    }
    tell();
  }

  /** The next calls of a server, of whatever kind, find nobody. */
  public synchronized void fail(String server, int calls) {
    failures.put(server, calls);
  }

  /** The next change that a server asks for is made, but it is not told so. */
  public void loseAnswer(String server) {
    add(server, Fault.LOSE_ANSWER);
  }

  /** The next change that a server asks for is not made, but it is not told so. */
  public void loseRequest(String server) {
    add(server, Fault.LOSE_REQUEST);
  }

  /** The next change that a server asks for is not made, and it is told so. */
  public void refuse(String server) {
    add(server, Fault.REFUSE);
  }

  /** Runs something just before the next change that a server asks for; several in turn. */
  public synchronized void beforeChange(String server, Runnable race) {
    races.computeIfAbsent(server, key -> new ArrayDeque<>()).add(race);
  }

  /** The service is another one, without any table: its volume was lost, or its address is new. */
  public void loseEverything() {
    synchronized (this) {
      tables.clear();
      dropped.clear();
      cluster = Optional.empty();
      version = 0;
    }
    tell();
  }

  /** The service lists a table no more, as if restored from a backup made before the table. */
  public void forget(String name) {
    synchronized (this) {
      tables.remove(name);
    }
    tell();
  }

  /** The service lists a table as it was some time ago. */
  public void restore(TableConfig config) {
    synchronized (this) {
      put(config);
    }
    tell();
  }

  /** Nobody can ask, neither those that run nor those that start. */
  public void everybodyAway(boolean value) {
    synchronized (this) {
      everybodyAway = value;
    }
    tell();
  }

  /** The service is that of another cluster. */
  public void cluster(String id) {
    synchronized (this) {
      cluster = Optional.of(id);
    }
    tell();
  }

  /** Whether watchers are left in the dark. */
  public synchronized void silent(boolean value) {
    silent = value;
  }

  private synchronized void add(String server, Fault fault) {
    faults.computeIfAbsent(server, key -> new ArrayDeque<>()).add(fault);
  }

  // ---- what it holds

  public synchronized Optional<Coordination.Kept> table(String name) {
    return Optional.ofNullable(tables.get(name));
  }

  public TableConfig config(String name) {
    return table(name).orElseThrow(() -> new AssertionError("there is no table " + name)).config();
  }

  /** How often tables were read, one or all. */
  public synchronized long reads() {
    return reads;
  }

  /** Calls everybody that watches, as a change does. */
  public void tell() {
    List<Watcher> told;
    synchronized (this) {
      if (silent) {
        return;
      }
      told = watchers.stream().filter(each -> !away.contains(each.server)).toList();
    }
    told.forEach(each -> notices.execute(each.changed));
  }

  private synchronized void check(String server) {
    int left = failures.merge(server, -1, (before, one) -> Math.max(before + one, -1));
    if (everybodyAway || away.contains(server) || left >= 0) {
      throw new UnavailableException("the coordination service does not answer " + server);
    }
  }

  private boolean change(String server, BooleanSupplier change) {
    check(server);
    Runnable race = next(races, server);
    if (race != null) {
      race.run();
    }
    Fault fault = next(faults, server);
    if (fault == Fault.REFUSE) {
      throw new UnavailableException("the coordination service refuses " + server);
    }
    if (fault == Fault.LOSE_REQUEST) {
      throw new OutcomeUnknownException("the coordination service did not answer " + server);
    }
    boolean made;
    synchronized (this) {
      made = change.getAsBoolean();
    }
    if (made) {
      tell();
    }
    if (fault == Fault.LOSE_ANSWER) {
      throw new OutcomeUnknownException("the coordination service did not answer " + server);
    }
    return made;
  }

  private synchronized <T> T next(Map<String, Deque<T>> queues, String server) {
    Deque<T> queue = queues.get(server);
    return queue == null ? null : queue.poll();
  }

  private boolean put(TableConfig config) {
    tables.put(config.name(), new Coordination.Kept(config, ++version));
    return true;
  }

  private boolean at(String name, long expected) {
    Coordination.Kept kept = tables.get(name);
    return kept != null && kept.version() == expected;
  }

  private final class Seen implements Coordination {
    private final String server;
    private final CrashPoint crash;

    private Seen(String server, CrashPoint crash) {
      this.server = server;
      this.crash = crash;
    }

    private <T> T step(String what, Supplier<T> call) {
      return crash.<T, SteleException>call("coordination " + what, call::get);
    }

    @Override
    public List<Kept> tables() {
      return step("tables", () -> read(() -> List.copyOf(tables.values())));
    }

    @Override
    public Optional<Kept> table(String name) {
      return step("table", () -> read(() -> Optional.ofNullable(tables.get(name))));
    }

    private <T> T read(Supplier<T> read) {
      check(server);
      synchronized (FakeCoordination.this) {
        reads++;
        return read.get();
      }
    }

    @Override
    public boolean create(TableConfig config) {
      return step(
          "create",
          () ->
              change(
                  server,
                  () ->
                      !tables.containsKey(config.name())
                          && !otherKinds.contains(config.name())
                          && put(config)));
    }

    @Override
    public boolean replace(TableConfig config, long expected) {
      return step(
          "replace", () -> change(server, () -> at(config.name(), expected) && put(config)));
    }

    @Override
    public boolean drop(TableConfig config, long expected) {
      return step(
          "drop",
          () ->
              change(
                  server,
                  () ->
                      (expected == UNLISTED
                              || (at(config.name(), expected)
                                  && tables.remove(config.name()) != null))
                          && dropped.add(config.id())));
    }

    @Override
    public boolean isDropped(String table) {
      return step("dropped", () -> read(() -> dropped.contains(table)));
    }

    @Override
    public Optional<String> cluster() {
      return step("cluster", () -> read(() -> cluster));
    }

    @Override
    public boolean nameCluster(Optional<String> expected, String id) {
      return step(
          "name cluster",
          () ->
              change(
                  server,
                  () -> {
                    boolean named = cluster.equals(expected);
                    cluster = named ? Optional.of(id) : cluster;
                    return named;
                  }));
    }

    @Override
    public List<LiveServer> servers() {
      return step(
          "servers",
          () -> {
            check(server);
            synchronized (FakeCoordination.this) {
              return List.copyOf(servers.values());
            }
          });
    }

    @Override
    public Subscription watch(Runnable changed) {
      Watcher watcher = new Watcher(server, changed);
      synchronized (FakeCoordination.this) {
        watchers.add(watcher);
      }
      return () -> {
        synchronized (FakeCoordination.this) {
          watchers.remove(watcher);
        }
      };
    }

    @Override
    public boolean leads() {
      synchronized (FakeCoordination.this) {
        return leader.equals(server) && !away.contains(server);
      }
    }
  }
}
