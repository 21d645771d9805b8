package io.stele.tables;

import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.tables.compact.Compactor;
import io.stele.tables.compact.Splitter;
import io.stele.tables.compact.SwapGuard;
import io.stele.tables.compact.TabletSizes;
import io.stele.tables.event.TableEvent;
import io.stele.tables.files.CopiedRoot;
import io.stele.tables.files.RootCopies;
import io.stele.tables.files.StoreIdentity;
import io.stele.tables.files.Trash;
import io.stele.tables.load.Assignments;
import io.stele.tables.load.ChangeLocks;
import io.stele.tables.load.ConfigSaver;
import io.stele.tables.load.FileGc;
import io.stele.tables.load.Home;
import io.stele.tables.load.Lifecycle;
import io.stele.tables.load.Loader;
import io.stele.tables.load.LocalMeta;
import io.stele.tables.load.RoutedMeta;
import io.stele.tables.load.ServerRun;
import io.stele.tables.load.TableSet;
import io.stele.tables.load.TabletProbe;
import io.stele.tables.load.Unloader;
import io.stele.tables.load.UnreadableFiles;
import io.stele.tables.load.Warmer;
import io.stele.tables.meta.ConfigGuard;
import io.stele.tables.meta.ConfigWriter;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.read.Scanners;
import io.stele.tables.read.TabletAccess;
import io.stele.tables.row.RowOperations;
import io.stele.tables.tablet.CommitLock;
import io.stele.tables.tablet.FileHealth;
import io.stele.tables.tablet.FragmentFiles;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletListener;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.txn.Lease;
import io.stele.tables.txn.Sequencer;
import io.stele.tables.txn.Snapshots;
import io.stele.tables.write.Flusher;
import io.stele.tables.write.WritePath;
import io.stele.tables.write.WriteSide;
import java.io.IOException;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The parts of a tablet server, made and wired in the order in which they need each other. */
final class Machinery implements AutoCloseable {
  private static final FilePath LOGS = FilePath.of("log");

  /** So many fragments in a row that cannot be written are not an accident. */
  private static final int FAILED_WRITES = 3;

  private final TabletServer.Builder described;
  private final StoreIdentity identity;
  private final ServerParts parts;
  private final Home home;
  private final TableSet tables;
  private final WriteSide writes;
  private final Scanners scanners;
  private final RowOperations rows;
  private final MetaTable meta;
  private final ConfigWriter configWriter;
  private final ConfigSaver configs;
  private final Compactor compactor;
  private final TabletSizes sizes;
  private final Splitter splitter;
  private final Warmer warmer;
  private final ChangeLocks locks = new ChangeLocks();
  private final Lifecycle lifecycle;
  private final UnreadableFiles unreadable;
  private final Assignments assignments;
  private final FileGc gc;
  private final ExecutorService acknowledger;
  private final ScheduledExecutorService upkeep;
  private final CompletableFuture<Void> loaded = new CompletableFuture<>();
  private final Set<Table> sizesToCheck = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  Machinery(TabletServer.Builder described) {
    this.described = described;
    TabletServerSettings settings = described.settings;
    Optional<ClusterPlace> place = described.place;
    if (place.isPresent() && !settings.fixed().isEmpty()) {
      throw new InvalidRequestException(
          "tables "
              + settings.fixed().keySet()
              + " cannot be fixed: only a server alone has such tables");
    }
    this.identity = new StoreIdentity(described.files, logs(), described.root, described.random);
    UUID _ = identity.settle(); // before anything is written there
    String run = place.map(ClusterPlace::run).orElseGet(() -> ServerRun.next(described.files));
    this.home = new Home(described.address, LOGS.resolve(run));
    this.acknowledger =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("stele-acknowledge").factory());
    this.upkeep =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("stele-upkeep").factory());
    this.parts =
        new ServerParts(
            described.files,
            new FragmentFiles(run),
            new CommitLock(),
            new Sequencer(0, acknowledger, place.map(ClusterPlace::lease).orElse(Lease.FOR_EVER)),
            new Snapshots(),
            described.clock,
            described.random,
            new FileHealth(),
            this::happened);
    this.tables =
        new TableSet(
            parts,
            described.cache,
            new SizeTrigger(),
            place.isPresent(),
            settings.writes().deferLimit());
    this.warmer = new Warmer(parts);
    LateMeta late = new LateMeta();
    RootCopies copies = new RootCopies(described.files, described.random);
    this.meta = new MetaTable(late, new CopiedRoot(described.root, copies));
    this.configWriter =
        new ConfigWriter(
            meta,
            place.isPresent() ? ConfigSaver.owned(home.log(), parts.sequencer()) : ConfigGuard.NONE,
            described.clock,
            parts::report);
    this.configs =
        new ConfigSaver(
            described.files, home, parts.sequencer(), configWriter, place.isPresent(), this::lost);
    this.writes = new WriteSide(parts, logs(), home.log(), settings.writes(), configs, tables::all);
    TabletAccess access =
        new TabletAccess(described.clock, settings.writes().deferLimit(), warmer::warm);
    this.scanners =
        new Scanners(
            parts.snapshots(),
            parts.sequencer(),
            access,
            described.clock,
            settings.scans(),
            settings.scanIdle());
    writes.path().findRequestsIn(scanners::findRequest);
    this.rows = new RowOperations(scanners, writes.path());
    LocalMeta local = new LocalMeta(tables, writes.path(), scanners);
    late.set(
        place.isPresent()
            ? new RoutedMeta(tables, local, place.get().elsewhere(), parts.sequencer())
            : local);
    this.compactor =
        new Compactor(
            parts, configs, tables::all, warmer::warm, writes.room()::isLow, settings.compaction());
    this.sizes = new TabletSizes(described.files);
    this.splitter =
        new Splitter(
            parts,
            settings.compaction(),
            sizes,
            configs,
            configs::replace,
            guard(),
            configs::configOf,
            warmer::warm);
    Loader loader = new Loader(parts, logs(), home, probe(), configs, settings.replayBytes());
    Unloader unloader = new Unloader(parts, home, configs, writes.flusher());
    this.lifecycle =
        new Lifecycle(
            parts,
            tables,
            meta,
            loader,
            unloader,
            configs,
            writes.flusher(),
            locks,
            this::withoutCompaction,
            this::tabletsChanged);
    this.unreadable =
        new UnreadableFiles(
            parts, tables::all, isInCluster(), this::unload, parts.sequencer()::failed);
    this.assignments =
        new Assignments(
            parts,
            tables,
            meta,
            home,
            described.probe,
            loader,
            unloader,
            lifecycle,
            writes.flusher(),
            locks,
            this::withoutCompaction,
            this::tabletsChanged,
            this::settleLater,
            unreadable);
    this.gc =
        new FileGc(
            parts,
            LOGS,
            home.log(),
            tables::all,
            lifecycle::allConfigs,
            identity::mismatch,
            new Trash(described.files, logs(), described.clock, settings.trash()));
  }

  /** Does what follows from an event, and passes it on. */
  private void happened(TableEvent event) {
    if (event instanceof TableEvent.FileUnreadable(String file, _, boolean damaged) && !damaged) {
      // Not on the thread of a reader, nor on one that an unload may wait for.
      Thread.ofVirtual()
          .name("stele-unreadable")
          .start(
              () -> background("check of file " + file, () -> unreadable.check(FilePath.of(file))));
    } else if (event instanceof TableEvent.FileNotWritten failed
        && failed.inARow() >= FAILED_WRITES
        && isInCluster()) {
      giveUpUnlessFull(failed);
    }
    described.events.accept(event);
  }

  /** Others can replay the log, and write what is in it; where the disk is full, nobody can. */
  private void giveUpUnlessFull(TableEvent.FileNotWritten failed) {
    writes.room().look();
    if (!writes.room().isLow()) {
      parts.sequencer().failed(new IOException(failed.text()));
    }
  }

  private Map<TabletKey, Optional<SteleException>> unload(Collection<TabletKey> tablets) {
    return assignments.unload(tablets);
  }

  private FileStore logs() {
    return described.place.map(ClusterPlace::logs).orElse(described.files);
  }

  /** What was this very run's is nobody else's. */
  private TabletProbe probe() {
    return config ->
        config.log().filter(newest -> newest.directory().equals(home.log())).isEmpty()
            && described.probe.isServed(config);
  }

  private void settleLater() {
    try {
      var _ =
          upkeep.schedule(
              () -> background("settling tablets", assignments::settle), 1, TimeUnit.SECONDS);
    } catch (RejectedExecutionException e) {
      // The server is being closed.
    }
  }

  private void withoutCompaction(Runnable action) {
    compactor.pausing(
        () -> {
          action.run();
          return action;
        });
  }

  /** Not in the thread that saves configurations: those who wait for that may be in the way. */
  private void lost(Table table, Tablet tablet) {
    Thread.ofVirtual()
        .name("stele-lost")
        .start(() -> background("giving up a tablet", () -> assignments.lost(table, tablet)));
  }

  private SwapGuard guard() {
    return new SwapGuard() {
      @Override
      public <T> T excluding(Table table, Supplier<T> action) {
        return locks.changing(
            table.name(),
            () -> {
              configs.drain(table, Lifecycle.DRAIN);
              return compactor.pausing(
                  () ->
                      writes
                          .flusher()
                          .pausing(
                              () -> {
                                // What waits there knows the old rows.
                                configs.drain(table, Lifecycle.DRAIN_UNDER_LOCKS);
                                return action.get();
                              }));
            });
      }
    };
  }

  /** A tablet whose files changed may have become too large or too small. */
  private final class SizeTrigger implements TabletListener {
    @Override
    public void onFragmentListUpdate(Tablet tablet, int group, int begin, int end) {
      tables.find(tablet.table()).ifPresent(Machinery.this::checkSizes);
    }
  }

  /** Tablets came here, or have another schema: their sizes and their groups in memory count. */
  private void tabletsChanged(Table table) {
    Thread.ofVirtual()
        .name("stele-preload")
        .start(() -> background("preload of table " + table.name(), () -> warmer.preload(table)));
    checkSizes(table);
  }

  /** Sizes are looked at by the upkeep thread: a split waits for META. */
  private void checkSizes(Table table) {
    if (closed || !described.settings.compaction().automatic() || !sizesToCheck.add(table)) {
      return;
    }
    try {
      upkeep.execute(
          () -> {
            sizesToCheck.remove(table);
            background("split or join", () -> splitter.check(table));
          });
    } catch (RejectedExecutionException e) {
      sizesToCheck.remove(table); // the server is being closed
    }
  }

  void start() {
    long start = described.clock.nanos();
    writes.room().look(); // before anything is merged
    configWriter.start();
    writes.start();
    if (isInCluster()) {
      compactor.start(); // tablets come when they are assigned
      locks.endStart();
      parts.report(
          new TableEvent.Started(home.log().name(), 0, 0, 0, described.clock.nanos() - start));
      loaded.complete(null);
    } else {
      lifecycle.loadFixedFirst(described.settings.fixed());
      long records = lifecycle.loadMeta();
      Map<Table, List<TabletConfig>> found = lifecycle.findTables();
      compactor.start();
      Thread.ofVirtual().name("stele-load").start(() -> loadTables(found, records, start));
    }
    long nanos = described.settings.upkeep().toNanos();
    var _ =
        upkeep.scheduleWithFixedDelay(
            () -> background("upkeep", this::upkeep), nanos, nanos, TimeUnit.NANOSECONDS);
  }

  private void loadTables(Map<Table, List<TabletConfig>> found, long metaRecords, long start) {
    try {
      long records = metaRecords + lifecycle.loadFound(found);
      int tablets = found.values().stream().mapToInt(List::size).sum();
      parts.report(
          new TableEvent.Started(
              home.log().name(), found.size(), tablets, records, described.clock.nanos() - start));
      loaded.complete(null);
    } catch (RuntimeException e) { // whoever waits for it must be told, whatever it was
      parts.report(new TableEvent.BackgroundFailed("load of tables", e));
      loaded.completeExceptionally(e);
    }
  }

  void awaitLoaded() {
    loaded.join();
  }

  /** What is done every now and then. */
  void upkeep() {
    scanners.endSuperfluous();
    writes.room().look();
    background("check of files", unreadable::checkAll);
    background("recovery of tablets", lifecycle::resumeLoads);
    lifecycle.discoverSchemas();
    sizes.keepOnly(namedFiles());
    long idle = described.settings.tabletIdle().toNanos();
    for (Table table : tables.all()) {
      if (!table.isMeta()) {
        warmer.cool(table, idle);
      }
      if (described.settings.compaction().automatic()) {
        splitter.check(table);
      }
    }
    if (!isInCluster() && loaded.isDone() && !loaded.isCompletedExceptionally()) {
      background("collection of files", gc::run);
    }
  }

  private Set<FilePath> namedFiles() {
    Set<FilePath> named = new HashSet<>();
    for (Table table : tables.all()) {
      table.view().tablets().forEach(tablet -> named.addAll(tablet.paths()));
    }
    return named;
  }

  private void background(String what, Runnable action) {
    try {
      if (!closed) {
        action.run();
      }
    } catch (RuntimeException e) { // one that got away would end the upkeep for good
      parts.report(new TableEvent.BackgroundFailed(what, e));
    } catch (Error e) {
      parts.report(new TableEvent.WorkerDied(what, e));
    }
  }

  boolean isInCluster() {
    return described.place.isPresent();
  }

  Assignments assignments() {
    return assignments;
  }

  ServerParts parts() {
    return parts;
  }

  Home home() {
    return home;
  }

  TableSet tables() {
    return tables;
  }

  WritePath writes() {
    return writes.path();
  }

  Flusher flusher() {
    return writes.flusher();
  }

  Scanners scanners() {
    return scanners;
  }

  RowOperations rows() {
    return rows;
  }

  MetaTable meta() {
    return meta;
  }

  Compactor compactor() {
    return compactor;
  }

  TabletSizes sizes() {
    return sizes;
  }

  Splitter splitter() {
    return splitter;
  }

  Lifecycle lifecycle() {
    return lifecycle;
  }

  FileGc gc() {
    return gc;
  }

  Warmer warmer() {
    return warmer;
  }

  long memoryBytes() {
    return writes.memoryBytes();
  }

  ServerFigures figures() {
    Map<TabletState, Integer> states = new EnumMap<>(TabletState.class);
    long files = 0;
    long excess = 0;
    int longest = 0;
    for (Table table : tables.all()) {
      for (TabletView tablet : table.view().tablets()) {
        states.merge(tablet.state(), 1, Integer::sum);
        longest = Math.max(longest, tablet.longestChain());
        for (List<FragmentRef> chain : tablet.files().values()) {
          files += chain.size();
          excess += Math.max(0, chain.size() - 1);
        }
      }
    }
    return new ServerFigures(
        states,
        files,
        longest,
        excess,
        writes.memory().used(),
        writes.memory().limit(),
        writes.memory().waits(),
        writes.log().bytesFrom(0),
        writes.log().stats(),
        described.cache.stats());
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    try {
      loaded.exceptionally(_ -> null).join();
      closed = true;
      upkeep.shutdown();
      compactor.close();
      boolean all = lifecycle.unloadAll();
      writes.close();
      if (all) {
        FileStore logs = logs();
        for (FileInfo file : logs.list(home.log())) {
          logs.delete(file.path()); // all it says is in files that META names
        }
      }
    } catch (IOException e) {
      throw new UnavailableException("log files could not be deleted: " + e, e);
    } finally {
      abandon();
    }
  }

  /** Stops without unloading, as a crash would, but with threads ended. */
  void abandon() {
    closed = true;
    locks.endStart();
    if (isInCluster() && !acknowledger.isShutdown()) {
      parts.sequencer().failed(new FencedException("the tablet server has ended"));
    }
    upkeep.shutdownNow();
    compactor.close();
    configWriter.close();
    writes.close();
    acknowledger.shutdown();
  }
}
