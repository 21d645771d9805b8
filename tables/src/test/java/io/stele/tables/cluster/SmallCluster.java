package io.stele.tables.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.ScanOptions;
import io.stele.base.time.Clock;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.tables.ClusterPlace;
import io.stele.tables.TabletServer;
import io.stele.tables.TabletServerSettings;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.event.TableEvent;
import io.stele.tables.load.TabletProbe;
import io.stele.tables.master.LiveServer;
import io.stele.tables.master.Membership;
import io.stele.tables.master.TabletControl;
import io.stele.tables.master.TabletOutcome;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.MemoryRoot;
import io.stele.tables.meta.MetaAccess;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.MetaTable.Change;
import io.stele.tables.meta.RootStore;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.txn.Lease;
import io.stele.tables.write.WriteSettings;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Several tablet servers in one process, on one file store in memory, with leases that a test ends.
 * There is no network, no metastore and no master: a test, or a master under test, gives orders to
 * {@link Node#server}'s control.
 *
 * <pre>{@code
 * try (SmallCluster cluster = new SmallCluster()) {
 *   Node a = cluster.start("a:1");
 *   cluster.bootstrap(a);
 *   cluster.create("t", TableSchema.ofFamilies("f"));
 *   cluster.load(a, cluster.keys("t"));
 *   a.table("t").apply(put("row", "f:", 1, "value"));
 * }
 * }</pre>
 */
public final class SmallCluster implements AutoCloseable {
  /** Nothing happens by itself. */
  public static final TabletServerSettings QUIET =
      TabletServerSettings.DEFAULT
          .withWrites(
              WriteSettings.DEFAULT.withLog(
                  new CommitLogSettings(1L << 20, 0, 1L << 20, Duration.ofMillis(20)), 1L << 30))
          .withCompaction(CompactSettings.DEFAULT.withAutomatic(false))
          .withUpkeep(Duration.ofHours(10));

  private final Surroundings surroundings;
  private final MemoryRoot root = new MemoryRoot();
  private final AtomicLong sessions;
  private final Map<String, Node> live = new ConcurrentSkipListMap<>(); // by run: session lives
  private final List<Node> all = new CopyOnWriteArrayList<>();
  private final Set<String> draining = ConcurrentHashMap.newKeySet();
  private final MetaTable meta =
      new MetaTable(new SmallMeta(live::values, () -> !this.closed), root);
  private volatile MemoryFileStore files;
  private volatile boolean closed;
  private long token = 1;

  public SmallCluster() {
    this(new MemoryFileStore(), 0, Surroundings.NONE);
  }

  /** With a root store that is empty, on files that may be another cluster's. */
  public SmallCluster(MemoryFileStore files, long lastRun) {
    this(files, lastRun, Surroundings.NONE);
  }

  /** With something between its servers and the rest. */
  public SmallCluster(Surroundings surroundings) {
    this(new MemoryFileStore(), 0, surroundings);
  }

  private SmallCluster(MemoryFileStore files, long lastRun, Surroundings surroundings) {
    this.files = files;
    this.sessions = new AtomicLong(lastRun);
    this.surroundings = surroundings;
  }

  /** What a test puts between a server and the rest of the cluster. */
  public interface Surroundings {
    Surroundings NONE = new Surroundings() {};

    /** The files of all servers, as one of them sees them. */
    default FileStore files(LiveServer server, FileStore files) {
      return files;
    }

    default RootStore root(LiveServer server, RootStore root) {
      return root;
    }

    /** META on other servers. */
    default MetaAccess elsewhere(LiveServer server, MetaAccess meta) {
      return meta;
    }

    /** Its right to answer, which ends with the given one at the latest. */
    default Lease lease(LiveServer server, Lease lease) {
      return lease;
    }

    default Clock clock(LiveServer server, Clock clock) {
      return clock;
    }

    /** How others reach it. */
    default TabletControl control(LiveServer server, TabletControl control) {
      return control;
    }
  }

  /** A lease that lasts until a test ends it. */
  private static final class ManualLease implements Lease {
    private final AtomicLong looksLeft = new AtomicLong(Long.MAX_VALUE);
    private volatile boolean ended;

    @Override
    public boolean isHeld() {
      if (looksLeft.getAndDecrement() <= 0) {
        ended = true;
      }
      return !ended;
    }
  }

  /** A tablet server and its session. */
  public final class Node {
    private final LiveServer self;
    private final ManualLease lease = new ManualLease();
    private final List<TableEvent> events = new CopyOnWriteArrayList<>();
    private final TabletServer server;
    private final SmallMeta elsewhere;
    private final TabletControl control;
    private volatile boolean ended;
    private boolean abandoned; // guarded by this

    private Node(String run, String address, TabletServerSettings settings, Clock clock) {
      this.self = new LiveServer(run, address);
      this.elsewhere = new SmallMeta(live::values, () -> !ended && !closed);
      FileStore seen = surroundings.files(self, files);
      this.server =
          TabletServer.builder(seen, surroundings.root(self, root))
              .settings(settings)
              .address(address)
              .clock(surroundings.clock(self, clock))
              .events(events::add)
              .probe(probe())
              .cluster(
                  new ClusterPlace(
                      run,
                      surroundings.lease(self, lease),
                      surroundings.elsewhere(self, elsewhere),
                      seen))
              .open();
      this.control = surroundings.control(self, server.control());
    }

    public TabletServer server() {
      return server;
    }

    public TabletControl control() {
      return control;
    }

    public LiveServer self() {
      return self;
    }

    public List<TableEvent> events() {
      return events;
    }

    /** A table as far as it is here. */
    public TableFixture table(String name) {
      return new TableFixture(server, name);
    }

    /** Its session expires; it goes on as if nothing had happened, as far as it may. */
    public void loseSession() {
      lease.ended = true;
      live.remove(self.run());
    }

    /** It loses its lease when it has looked at it so often from now on. */
    public void endLeaseAfter(int looks) {
      lease.looksLeft.set(looks);
    }

    /** It is not told that META on another server took its next change. */
    public void loseAnswerOfMeta() {
      elsewhere.loseAnswer();
    }

    /** Everybody but itself holds it for dead; its lease does not end, as it always should. */
    public void isHeldForDead() {
      live.remove(self.run());
    }

    /** Ends as {@code kill -9} ends it, and its session too. */
    public void kill() {
      loseSession();
      crash();
    }

    /** Ends; others learn of it when its session expires. */
    public void crash() {
      ended = true;
      lease.ended = true;
      abandon();
    }

    private synchronized void abandon() {
      if (!abandoned) {
        abandoned = true;
        server.abandon();
      }
    }

    /** Whether its process has ended. */
    public boolean hasEnded() {
      return ended;
    }

    /** Unloads its tablets, and ends. */
    public void stop() {
      server.close();
      ended = true;
      loseSession();
    }

    @Override
    public String toString() {
      return self.toString();
    }
  }

  private TabletProbe probe() {
    return config ->
        config.log().filter(newest -> live.containsKey(newest.directory().name())).isPresent();
  }

  /** Starts a server in which nothing happens by itself. */
  public Node start(String address) {
    return start(address, QUIET);
  }

  public Node start(String address, TabletServerSettings settings) {
    return start(address, settings, Clock.system());
  }

  public Node start(String address, TabletServerSettings settings, Clock clock) {
    Node node = new Node("s%012d".formatted(sessions.incrementAndGet()), address, settings, clock);
    all.add(node);
    live.put(node.self.run(), node);
    return node;
  }

  /**
   * Ends all servers and their sessions at once, and what was not synced with them. Their threads
   * end with {@link Node#crash}.
   */
  public void losePower(CrashMode mode) {
    all.forEach(node -> node.ended = true);
    files = files.crash(mode);
    all.forEach(Node::loseSession);
  }

  public MemoryFileStore files() {
    return files;
  }

  public MemoryRoot root() {
    return root;
  }

  /** META, wherever it is. */
  public MetaTable meta() {
    return meta;
  }

  /**
   * How to reach META.
   *
   * @param wanted false when nobody waits for an answer any more
   */
  public MetaAccess metaAccess(BooleanSupplier wanted) {
    return new SmallMeta(live::values, wanted);
  }

  /** The servers whose sessions live. */
  public Collection<Node> nodes() {
    return live.values();
  }

  public Membership membership() {
    return new Membership() {
      @Override
      public List<LiveServer> live() {
        return live.values().stream().map(Node::self).toList();
      }

      @Override
      public Set<String> draining() {
        return Set.copyOf(draining);
      }

      @Override
      public Set<String> known() {
        return all.stream().map(node -> node.self().address()).collect(Collectors.toSet());
      }

      @Override
      public void setDraining(String address, boolean on) {
        boolean _ = on ? draining.add(address) : draining.remove(address);
      }
    };
  }

  /** How a master reaches a server. */
  public TabletControl control(LiveServer server) {
    Node node = live.get(server.run());
    if (node == null) {
      throw new UnavailableException(server + " cannot be reached");
    }
    return node.control();
  }

  // ---- what a master would do

  /** Makes META0 and META1, and has a server load them. */
  public void bootstrap(Node node) {
    TabletConfig meta0 = TabletConfig.empty(TableNames.META0, Bytes.EMPTY, Optional.empty());
    TabletConfig meta1 = TabletConfig.empty(TableNames.META1, Bytes.EMPTY, Optional.empty());
    Futures.await(meta.apply(MetaLevel.ROOT, new Change(List.of(meta0), List.of())));
    load(node, List.of(meta0.key()));
    Futures.await(meta.apply(MetaLevel.META0, new Change(List.of(meta1), List.of())));
    load(node, List.of(meta1.key()));
  }

  /** Writes a table into META; nobody has it yet. */
  public void create(String table, TableSchema schema, String... splits) {
    List<TabletConfig> tablets = new ArrayList<>();
    Bytes first = Bytes.EMPTY;
    for (String split : splits) {
      tablets.add(TabletConfig.empty(table, first, Optional.of(Bytes.utf8(split))));
      first = Bytes.utf8(split);
    }
    tablets.add(TabletConfig.empty(table, first, Optional.empty()));
    Futures.await(meta.create(table, schema, tablets));
  }

  /** The tablets of a table, as META has them. */
  public List<TabletKey> keys(String table) {
    return meta.tablets(table).stream().map(TabletConfig::key).toList();
  }

  public void load(Node node, List<TabletKey> tablets) {
    checkDone(node.control().load(token, tablets));
  }

  /** As a master does whose order came while the last server's last change was under way. */
  public void loadAgain(Node node, List<TabletKey> tablets) {
    try {
      load(node, tablets);
    } catch (ConflictException e) {
      load(node, tablets);
    }
  }

  public void unload(Node node, List<TabletKey> tablets) {
    checkDone(node.control().unload(token, tablets));
  }

  public void move(Node from, Node to, List<TabletKey> tablets) {
    unload(from, tablets);
    load(to, tablets);
  }

  private static void checkDone(List<TabletOutcome> outcomes) {
    List<SteleException> problems =
        outcomes.stream().flatMap(outcome -> outcome.problem().stream()).toList();
    if (!problems.isEmpty()) {
      throw problems.getFirst();
    }
  }

  /** Which server META says has a tablet. */
  public Node owner(TabletKey tablet) {
    TabletConfig config = meta.tablet(tablet).orElseThrow();
    assertThat(config.location()).as("location of %s", tablet).isNotEmpty();
    return all.stream()
        .filter(node -> node.self.address().equals(config.location()))
        .filter(node -> live.containsKey(node.self.run()))
        .findFirst()
        .orElseThrow(() -> new NoSuchElementException(tablet + " is at " + config.location()));
  }

  /** All cells of a table, each tablet from the server that has it. */
  public List<String> all(String table) {
    List<String> cells = new ArrayList<>();
    for (TabletConfig config : meta.tablets(table)) {
      cells.addAll(
          owner(config.key())
              .table(table)
              .scan(ReadPredicate.rows(config.range()), ScanOptions.DEFAULT, 1 << 20));
    }
    return cells;
  }

  @Override
  public void close() {
    closed = true;
    all.forEach(
        node -> {
          node.ended = true;
          node.abandon();
        });
  }
}
