package io.stele.tables.master;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.time.Clock;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.meta.MemoryMeta;
import io.stele.tables.meta.MemoryRoot;
import io.stele.tables.meta.MetaAccess;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A cluster of servers that only know which tablets they have, with META in memory: it answers only
 * while the servers that have its tablets live.
 */
final class FakeCluster implements Membership, MetaAccess {
  static final MasterSettings SETTINGS =
      MasterSettings.DEFAULT
          .withRounds(Duration.ofSeconds(5), Duration.ofMillis(10), Duration.ofMillis(100))
          .withPatience(Duration.ofSeconds(20), Duration.ofSeconds(2))
          .withBalance(false, Duration.ofHours(1))
          .withCollectEvery(Duration.ofHours(1));

  static final Duration TRASH = Duration.ofHours(24);

  final MemoryFileStore files = new MemoryFileStore();
  final MemoryRoot root = new MemoryRoot();
  final MemoryMeta cells = new MemoryMeta();
  final MetaTable meta = new MetaTable(this, root);
  final List<MasterEvent> events = new CopyOnWriteArrayList<>();
  final AtomicReference<Runnable> beforeApply = new AtomicReference<>(() -> {}); // once
  final Map<LiveServer, FakeServer> servers = new ConcurrentHashMap<>();
  private final Set<LiveServer> live = ConcurrentHashMap.newKeySet();
  private final Set<String> draining = ConcurrentHashMap.newKeySet();
  private final List<Master> masters = new ArrayList<>();
  private int runs;

  FakeServer start(String address) {
    LiveServer name = new LiveServer("s%012d".formatted(++runs), address);
    FakeServer server = new FakeServer(this, name, new MetaTable(this, root));
    servers.put(name, server);
    live.add(name);
    masters.forEach(Master::wake);
    return server;
  }

  /** Ends a server's session; what it has is nobody's from now on. */
  void kill(FakeServer server) {
    live.remove(server.name);
    masters.forEach(Master::wake);
  }

  Master master() {
    return master(SETTINGS);
  }

  Master master(MasterSettings settings) {
    return master(settings, CompactSettings.DEFAULT);
  }

  Master master(MasterSettings settings, CompactSettings sizes) {
    Master master =
        new Master(
            new MasterParts(
                "m:" + masters.size(),
                masters.size() + 1,
                () -> true,
                this,
                this::server,
                meta,
                root,
                files,
                files,
                Clock.system(),
                sizes,
                TRASH,
                events::add),
            settings);
    masters.add(master);
    return master;
  }

  /** Works until every tablet has a server and nothing is under way. */
  static void settle(Master master) {
    boolean settled =
        master.settle(
            picture -> picture.whole() && picture.unowned().isEmpty() && master.isIdle(),
            Duration.ofSeconds(20));
    if (!settled) {
      throw new AssertionError("not settled: " + master.status().unserved());
    }
  }

  FakeServer server(LiveServer name) {
    return Optional.ofNullable(servers.get(name)).orElseThrow();
  }

  /** The server that has a tablet. */
  FakeServer owner(TabletKey tablet) {
    return server(Optional.ofNullable(assignments().get(tablet)).orElseThrow());
  }

  /** Does the server that META says has a tablet live, and have it? */
  private boolean isServed(TabletConfig tablet) {
    return Picture.ownerOf(tablet, live())
        .filter(owner -> server(owner).tablets.contains(tablet.key()))
        .isPresent();
  }

  // ---- Membership

  @Override
  public List<LiveServer> live() {
    return List.copyOf(live);
  }

  @Override
  public Set<String> draining() {
    return Set.copyOf(draining);
  }

  @Override
  public Set<String> known() {
    return servers.keySet().stream().map(LiveServer::address).collect(Collectors.toSet());
  }

  @Override
  public void setDraining(String address, boolean on) {
    if (on) {
      draining.add(address);
    } else {
      draining.remove(address);
    }
  }

  // ---- META

  @Override
  public CompletableFuture<Long> apply(
      String metaTable, CellBatch batch, long commitMaxTxn, boolean waitForSync) {
    checkServed(metaTable);
    beforeApply.getAndSet(() -> {}).run();
    return cells.apply(metaTable, batch, commitMaxTxn, waitForSync);
  }

  @Override
  public long scan(
      String metaTable, ReadPredicate predicate, boolean latest, Predicate<Cell> each) {
    checkServed(metaTable);
    return cells.scan(metaTable, predicate, latest, each);
  }

  @Override
  public List<List<Bytes>> together(String metaTable, List<Bytes> rows) {
    return List.of(rows);
  }

  private void checkServed(String metaTable) {
    MetaTable behind = new MetaTable(cells, root);
    List<TabletConfig> needed = new ArrayList<>(behind.tablets(TableNames.META0));
    if (metaTable.equals(TableNames.META1)) {
      needed.addAll(behind.tablets(TableNames.META1));
    }
    if (needed.isEmpty() || !needed.stream().allMatch(this::isServed)) {
      throw new UnavailableException(metaTable + " is not served");
    }
  }

  /** All tablets but those of META, by who serves them. */
  Map<TabletKey, LiveServer> assignments() {
    Map<TabletKey, LiveServer> found = new ConcurrentHashMap<>();
    for (TabletConfig tablet : new MetaTable(cells, root).tablets(MetaLevel.META1, row -> {})) {
      if (isServed(tablet)) {
        Picture.ownerOf(tablet, live()).ifPresent(owner -> found.put(tablet.key(), owner));
      }
    }
    return found;
  }

  static TabletKey key(String table, String last) {
    return new TabletKey(table, last.isEmpty() ? Optional.empty() : Optional.of(Bytes.utf8(last)));
  }

  static List<Bytes> splits(int count) {
    List<Bytes> splits = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      splits.add(Bytes.utf8("%04d".formatted(i)));
    }
    return splits;
  }

  static FilePath logOf(LiveServer server) {
    return FilePath.of("log/" + server.run());
  }

  /** What a server is to answer instead of doing as it is told. */
  interface Fault {
    Optional<SteleException> of(TabletKey tablet);
  }

  static Fault none() {
    return tablet -> Optional.empty();
  }
}
