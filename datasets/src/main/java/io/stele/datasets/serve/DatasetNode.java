package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Lookup;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Events;
import io.stele.base.file.FileStore;
import io.stele.base.time.Clock;
import io.stele.datasets.shard.InputKinds;
import io.stele.datasets.version.LoadQueue;
import io.stele.datasets.version.Names;
import io.stele.datasets.version.RateLimit;
import io.stele.datasets.version.Source;
import io.stele.datasets.version.VersionLoad;
import io.stele.datasets.version.VersionStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One node of datasets, from the outside.
 *
 * <pre>
 *   source ──scan──► DatasetKeeper, one for each dataset: decides under the node's lock
 *                        │ opens, loads, publishes, removes            ▲ map of partitions
 *                    HeldVersion ──► ServedVersion ◄── Lookups ──► PeerLookup ──► other nodes
 *                                     shards that are here, who has the others
 * </pre>
 *
 * <p>A lookup takes no lock of the node, and reads neither source nor map. {@link #step} makes all
 * decisions that are due; a running node has {@link NodeThreads} call it, a test calls it itself.
 */
public final class DatasetNode implements DatasetService, Closeable {
  /**
   * What a node is made of.
   *
   * @param address at which peers reach it; its name in the cluster
   * @param source whose directories are datasets; the caller closes it, after the node
   * @param data a local directory of the node's own
   * @param pins nothing to keep them on disk, where there is no cluster
   */
  public record Parts(
      String address,
      DatasetSettings settings,
      FileStore source,
      InputKinds kinds,
      Path data,
      SharedMap map,
      Optional<Pins> pins,
      DatasetPeer peer,
      Clock clock,
      RandomGenerator random,
      Events events) {
    public Parts {
      if (address.isEmpty() || address.indexOf('/') >= 0 || address.indexOf('@') >= 0) {
        throw new InvalidRequestException(
            "datasets: address \"" + address + "\": must be host:port, without / and @");
      }
    }
  }

  private static final long NEVER = 1L << 62; // nanos: more than a century
  private static final long RESTORE_PAUSE = 5_000_000_000L;

  private final Parts parts;
  private final VersionStore store;
  private final Source source;
  private final StoredPins storedPins;
  private final Pins pins;
  private final Convergence convergence;
  private final NodeContext context;
  private final PeerLookup peerLookup;
  private final Lookups lookups;
  private final ConcurrentSkipListMap<String, DatasetKeeper> keepers =
      new ConcurrentSkipListMap<>();
  private final ReentrantLock scanning = new ReentrantLock();
  private List<Source.Found> unnameable = List.of(); // under the context's lock, as all below
  private Map<String, Pin> pinned;
  private boolean restoring; // pins that the cluster has lost
  private long restoreNanos; // not before
  private long refreshNanos;
  private boolean refreshing;
  private volatile boolean looked;
  private @Nullable NodeThreads threads;

  private DatasetNode(Parts parts, VersionStore store, Executor work, Executor loads, Runnable wake)
      throws IOException {
    this.parts = parts;
    this.store = store;
    DatasetSettings settings = parts.settings;
    this.source = new Source(parts.source, parts.kinds, settings.requireSuccess());
    this.storedPins = new StoredPins(store);
    this.pins = parts.pins.isPresent() ? parts.pins.get() : storedPins;
    this.pinned = storedPins.known();
    this.convergence =
        new Convergence(parts.map, parts.address, parts.clock, settings.timeToConverge(), wake);
    this.peerLookup =
        new PeerLookup(
            new PeerBatches(parts.peer),
            parts.clock,
            new SplittableRandom(parts.random.nextLong()),
            settings.stage(),
            settings.proxyTimeout());
    this.lookups = new Lookups(peerLookup, parts.clock);
    VersionLoad.Tools tools =
        new VersionLoad.Tools(
            source,
            store,
            new LoadQueue(loads, settings.parallelLoads()),
            new RateLimit(parts.clock, settings.loadRate().bytes()),
            parts.random);
    this.context =
        new NodeContext(
            parts.address,
            settings,
            parts.clock,
            parts.map,
            tools,
            convergence::nodes,
            work,
            parts.events,
            wake);
    this.refreshNanos = parts.clock.nanos();
    this.restoreNanos = refreshNanos;
    pins.watch(wake);
    for (String dataset : store.datasets()) {
      keeper(dataset).restore(store.versions(dataset), store.serving(dataset));
    }
  }

  /** Opens a node and lets it run. */
  public static DatasetNode open(Parts parts) throws IOException {
    NodeThreads threads = new NodeThreads(parts.settings.parallelLoads());
    boolean opened = false;
    try {
      DatasetNode node = open(parts, threads.work(), threads.loads(), threads::wake);
      node.threads = threads;
      threads.start(node::step);
      threads.startLookups(node.peerLookup);
      opened = true;
      return node;
    } finally {
      if (!opened) {
        threads.close();
      }
    }
  }

  /** Opens a node whose steps and work somebody else runs. */
  static DatasetNode open(Parts parts, Executor work, Executor loads, Runnable wake)
      throws IOException {
    VersionStore store = VersionStore.open(parts.data);
    boolean opened = false;
    try {
      DatasetNode node = new DatasetNode(parts, store, work, loads, wake);
      opened = true;
      return node;
    } finally {
      if (!opened) {
        store.close();
      }
    }
  }

  private DatasetKeeper keeper(String dataset) {
    return keepers.computeIfAbsent(dataset, name -> new DatasetKeeper(context, name));
  }

  /** Decides all that is due now, for all datasets. Does not wait for anything. */
  void step() {
    context.read(
        () -> {
          convergence.step();
          readPins();
          keepers.forEach(this::step);
          dropGone();
          refreshIfDue();
          return true;
        });
  }

  /** What goes wrong with one dataset is no other's concern. */
  private void step(String dataset, DatasetKeeper keeper) {
    try {
      keeper.step();
    } catch (RuntimeException e) {
      context.publish(new DatasetEvent.UpkeepFailed("looking after " + dataset, e.toString()));
    }
  }

  private void readPins() {
    Map<String, Pin> heard = pins.all().orElse(pinned);
    Map<String, Pin> now = Pin.later(pinned, heard);
    if (!now.equals(pinned)) {
      pinned = Map.copyOf(now);
      context.work("storing pins", () -> storedPins.keep(now));
    }
    restorePins(heard);
    keepers.forEach((dataset, keeper) -> keeper.pin(pin(dataset).version()));
  }

  private Pin pin(String dataset) {
    return pinned.getOrDefault(dataset, Pin.NONE);
  }

  /** What a metastore that was wiped has forgotten, it is told again. */
  private void restorePins(Map<String, Pin> heard) {
    Map<String, Pin> lost = new TreeMap<>(pinned);
    lost.entrySet()
        .removeIf(
            pin -> heard.getOrDefault(pin.getKey(), Pin.NONE).number() >= pin.getValue().number());
    if (lost.isEmpty() || restoring || parts.clock.nanos() - restoreNanos < 0) {
      return;
    }
    restoring = true;
    restoreNanos = parts.clock.nanos() + RESTORE_PAUSE; // if it fails
    context.work(
        "recording pins again",
        () -> {
          try {
            lost.forEach(pins::restore);
            context.locked(() -> restoreNanos = parts.clock.nanos());
          } finally {
            context.locked(() -> restoring = false);
          }
        });
  }

  private void dropGone() {
    for (Map.Entry<String, DatasetKeeper> entry : keepers.entrySet()) {
      if (entry.getValue().gone()) {
        keepers.remove(entry.getKey());
        context.work("deleting " + entry.getKey(), () -> store.deleteDataset(entry.getKey()));
      }
    }
  }

  private void refreshIfDue() {
    if (refreshing || parts.clock.nanos() - refreshNanos < 0) {
      return;
    }
    refreshing = true;
    context.work(
        "looking for versions",
        () -> {
          try {
            scan(false);
          } finally {
            context.locked(this::scheduleRefresh);
          }
        });
  }

  private void scheduleRefresh() {
    refreshing = false;
    long period = parts.settings.refreshEvery().toNanos();
    refreshNanos = parts.clock.nanos() + (period == 0 ? NEVER : period);
  }

  private void scan(boolean retry) throws IOException {
    // One at a time, so that an old list never replaces a newer one.
    scanning.lock();
    try {
      List<Source.Found> found = source.scan();
      context.locked(() -> found(found, retry));
    } finally {
      scanning.unlock();
    }
  }

  private void found(List<Source.Found> found, boolean retry) {
    List<Source.Found> odd = new ArrayList<>();
    Map<String, Source.Found> named = new TreeMap<>();
    for (Source.Found one : found) {
      if (Names.dataset(one.dataset())) {
        named.put(one.dataset(), one);
        keeper(one.dataset());
      } else {
        odd.add(one);
      }
    }
    unnameable = odd;
    looked = true;
    keepers.forEach(
        (dataset, keeper) -> keeper.found(Optional.ofNullable(named.get(dataset)), retry));
  }

  @Override
  public String address() {
    return parts.address;
  }

  @Override
  public boolean looked() {
    return looked;
  }

  @Override
  public boolean healthy() {
    return keepers.values().stream().anyMatch(keeper -> keeper.serving() != null);
  }

  @Override
  public List<String> list() {
    return List.copyOf(keepers.keySet());
  }

  @Override
  public Lookup get(String dataset, Bytes key) {
    return Lookups.await(glance(dataset, key));
  }

  @Override
  public List<Lookup> mget(String dataset, List<Bytes> keys) {
    DatasetKeeper keeper = find(dataset);
    return keys.isEmpty() ? List.of() : lookups.get(dataset, keys, keeper::serving);
  }

  @Override
  public Glance<OpenedLookup> glance(String dataset, Bytes key) {
    return lookups.glance(dataset, key, find(dataset)::serving);
  }

  private DatasetKeeper find(String dataset) {
    DatasetKeeper keeper = keepers.get(dataset);
    if (keeper == null) {
      throw new NotFoundException("there is no dataset \"" + dataset + "\"");
    }
    return keeper;
  }

  @Override
  public List<PeerAnswer> answerPeer(String dataset, String version, int shards, List<Bytes> keys) {
    return lookups.answer(opened(dataset, version), what(dataset, version), shards, keys);
  }

  @Override
  public Glance<PeerAnswer> glanceForPeer(String dataset, String version, int shards, Bytes key) {
    return lookups.glanceForPeer(opened(dataset, version), what(dataset, version), shards, key);
  }

  private @Nullable ServedVersion opened(String dataset, String version) {
    DatasetKeeper keeper = keepers.get(dataset);
    return keeper == null ? null : keeper.open(version);
  }

  private static String what(String dataset, String version) {
    return "version " + version + " of dataset " + dataset;
  }

  @Override
  public List<DatasetStatus> ownStatus() {
    return context.read(
        () -> {
          Map<String, DatasetStatus> all = new TreeMap<>();
          for (Source.Found one : unnameable) {
            all.put(
                one.dataset(), new DatasetStatus(one.dataset(), "", "", List.of(), one.problem()));
          }
          keepers.forEach((dataset, keeper) -> all.put(dataset, keeper.status()));
          return List.copyOf(all.values());
        });
  }

  @Override
  public List<DatasetStatus> status() {
    Set<String> others = new TreeSet<>(context.read(convergence::all));
    others.remove(parts.address);
    return ClusterStatus.merge(ownStatus(), ClusterStatus.ask(parts.peer, others));
  }

  @Override
  public DatasetStatus status(String dataset) {
    return status().stream()
        .filter(status -> status.dataset().equals(dataset))
        .findFirst()
        .orElseThrow(() -> new NotFoundException("there is no dataset \"" + dataset + "\""));
  }

  @Override
  public void refresh() {
    try {
      scan(true);
    } catch (IOException e) {
      throw new UnavailableException("the source cannot be read: " + e.getMessage(), e);
    }
    step();
  }

  @Override
  public void pin(String dataset, String version) {
    DatasetKeeper keeper = find(dataset);
    SortedSet<String> known = context.read(keeper::known);
    if (!known.contains(version)) {
      throw new NotFoundException(
          "dataset " + dataset + " has no version \"" + version + "\"; it has " + known);
    }
    pins.set(dataset, Optional.of(version), context.read(() -> pin(dataset)));
    step();
  }

  @Override
  public void unpin(String dataset) {
    find(dataset);
    pins.set(dataset, Optional.empty(), context.read(() -> pin(dataset)));
    step();
  }

  @Override
  public String rollback(String dataset) {
    DatasetKeeper keeper = find(dataset);
    ServedVersion serving = keeper.serving();
    if (serving == null) {
      throw new NotFoundException("dataset " + dataset + ": no version of it is served here");
    }
    SortedSet<String> older = context.read(keeper::known).headSet(serving.version());
    if (older.isEmpty()) {
      throw new NotFoundException(
          "dataset " + dataset + " has no version before " + serving.version());
    }
    pin(dataset, older.last());
    return older.last();
  }

  @Override
  public Optional<String> pinned(String dataset) {
    find(dataset);
    Pin known = context.read(() -> pin(dataset));
    return Pin.later(known, pins.all().orElse(Map.of()).getOrDefault(dataset, Pin.NONE)).version();
  }

  /** Ends all that runs; what is on disk stays. */
  @Override
  public void close() throws IOException {
    context.read(
        () -> {
          keepers.values().forEach(DatasetKeeper::close);
          convergence.close();
          return true;
        });
    if (threads != null) {
      threads.close();
    }
    store.close();
  }
}
