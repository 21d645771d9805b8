package io.stele.replicas.serve;

import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Event;
import io.stele.base.event.Subscription;
import io.stele.base.file.FilePath;
import io.stele.base.time.Clock;
import io.stele.engine.StoreEvent;
import io.stele.engine.StoreSettings;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataCache;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.MetadataParts;
import io.stele.replicas.metadata.MetadataServer;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.partition.ReplicaName;
import io.stele.replicas.partition.ReplicaStores;
import io.stele.replicas.partition.UnflushedMemory;
import io.stele.replicas.placement.Keeper;
import io.stele.replicas.push.Duty;
import io.stele.replicas.push.HybridClock;
import io.stele.replicas.push.LocalReplica;
import io.stele.replicas.push.Partners;
import io.stele.replicas.push.Push;
import io.stele.replicas.push.ReplicaEvent;
import io.stele.replicas.push.ReplicaHost;
import io.stele.replicas.push.ReplicaParts;
import io.stele.replicas.push.ReplicaPeer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * What a server of replicated tables is made of, and how its parts hear of each other:
 *
 * <pre>
 *   coordination service ──► MetadataServer ──► MetadataCache ──► ReplicaHost ──► LocalReplica …
 *                               ▲    ▲                               │ changes of METADATA
 *                            Keeper  └───────────────────────────────┘
 * </pre>
 *
 * <p>Threads of its own: one that ends waits of writers, one for upkeep, one that compares
 * replicas; those of its parts.
 */
final class Machinery implements Partners, MetadataCache.Listener {
  private static final FilePath METADATA = FilePath.of("metadata");
  private static final FilePath TABLES = FilePath.of("tables");
  private static final long EXPIRE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final String id;
  private final ReplicaServer.Builder parts;
  private final Consumer<Event> events;
  private final MetadataServer metadata;
  private final UnflushedMemory memory;
  private final ReplicaStores stores;
  private final HybridClock time;
  private final ReplicaHost host;
  private final Keeper keeper;
  private final OpenScans scans;
  private final Scrub scrub;
  private final Subscription subscription;
  private final Set<String> refreshing = ConcurrentHashMap.newKeySet();
  private final Set<String> unlisted = ConcurrentHashMap.newKeySet(); // tables, by id

  private final ReentrantLock lock = new ReentrantLock();
  private final ReentrantLock following = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private boolean closed; // guarded by lock
  private final List<Thread> threads;

  Machinery(ReplicaServer.Builder parts) {
    this.parts = parts;
    this.id = ServerId.of(parts.files, parts.random);
    this.events = quiet(parts.events);
    this.metadata =
        new MetadataServer(
            new MetadataParts(
                id,
                parts.files,
                METADATA,
                parts.coordination,
                parts.peers::metadata,
                parts.clock,
                parts.random,
                events,
                MetadataParts.virtualThreads()),
            parts.settings.metadata());
    this.memory =
        new UnflushedMemory(parts.settings.memoryBytes(), parts.settings.stall(), events::accept);
    this.stores =
        new ReplicaStores(
            parts.files,
            TABLES,
            StoreSettings.DEFAULT,
            memory,
            parts.cache,
            parts.clock,
            parts.random,
            this::storeChanged);
    this.time = new HybridClock(parts.files, parts.clock, events);
    this.host =
        new ReplicaHost(
            stores,
            new ReplicaParts(this, parts.clock, time, parts.random, parts.settings.push(), events));
    this.keeper =
        new Keeper(
            metadata,
            parts.coordination,
            parts.peers::metadata,
            parts.clock,
            parts.random,
            this::bytes,
            events,
            parts.settings.keeper());
    this.scans = new OpenScans(parts.clock, parts.settings.scanIdle());
    this.scrub = new Scrub(this, parts.settings.scrub(), this::rest);
    this.subscription = metadata.cache().subscribe(this);
    this.threads =
        List.of(
            Thread.ofPlatform()
                .daemon()
                .name("stele-replica-waits")
                .unstarted(() -> repeat(EXPIRE_NANOS, host::expire)),
            Thread.ofPlatform()
                .daemon()
                .name("stele-replica-upkeep")
                .unstarted(() -> repeat(parts.settings.upkeep().toNanos(), this::upkeep)),
            Thread.ofPlatform()
                .daemon()
                .name("stele-replica-scrub")
                .unstarted(() -> repeat(parts.settings.upkeep().toNanos(), scrub::round)));
  }

  private void storeChanged(ReplicaName name, StoreEvent event) {
    events.accept(event);
    if (event instanceof StoreEvent.BackgroundFailed(_, CorruptDataException problem)) {
      host.foundCorrupt(name, problem);
    }
  }

  private static Consumer<Event> quiet(Consumer<? super Event> events) {
    return event -> {
      try {
        events.accept(event);
      } catch (RuntimeException e) {
        // A listener's fault must not end the server's own work.
      }
    };
  }

  /**
   * Begins.
   *
   * @param waits until the coordination service was asked once
   */
  void start(boolean waits) {
    try {
      if (waits) {
        metadata.round();
      }
    } catch (SteleException e) {
      events.accept(new ReplicaEvent.BackgroundFailed("looking for tables", e));
      cache().tables().forEach(known -> follow(known.config().id())); // goes on with what is known
    }
    memory.start();
    metadata.start();
    keeper.start();
    threads.forEach(Thread::start);
  }

  String id() {
    return id;
  }

  MetadataServer metadata() {
    return metadata;
  }

  MetadataCache cache() {
    return metadata.cache();
  }

  ReplicaHost host() {
    return host;
  }

  ReplicaFigures figures() {
    Map<Duty.Role, Integer> roles = new EnumMap<>(Duty.Role.class);
    long unconfirmed = 0;
    long most = 0;
    for (LocalReplica replica : host.replicas()) {
      roles.merge(replica.duty().role(), 1, Integer::sum);
      long pending = replica.unconfirmed();
      unconfirmed += pending;
      most = Math.max(most, pending);
    }
    return new ReplicaFigures(
        roles, unconfirmed, most, memory.budget(), stores.logStats(), parts.cache.stats());
  }

  OpenScans scans() {
    return scans;
  }

  HybridClock time() {
    return time;
  }

  Consumer<Event> events() {
    return events;
  }

  Clock clock() {
    return parts.clock;
  }

  RandomGenerator random() {
    return parts.random;
  }

  ReplicaSettings settings() {
    return parts.settings;
  }

  ReplicaServer.Builder parts() {
    return parts;
  }

  /** The address of a server, if it lives as far as is known. */
  Optional<String> address(String server) {
    return server.equals(id)
        ? Optional.of(parts.address)
        : cache().server(server).map(each -> each.address());
  }

  boolean isLive(String server) {
    return server.equals(id) || cache().server(server).isPresent();
  }

  /** How large a partition is, by the member that answers first. */
  private OptionalLong bytes(String table, Partition partition) {
    return new Gathering(this)
            .begin(partition.members(), peer -> peer.progress(table, partition.id()))
            .first(answered -> !answered.isEmpty())
            .stream()
            .flatMap(each -> each.value().stream())
            .flatMap(List::stream)
            .mapToLong(Push.Progress::bytes)
            .max();
  }

  // ---- for replicas

  @Override
  public String self() {
    return id;
  }

  @Override
  public Optional<ReplicaPeer> peer(String server) {
    return server.equals(id)
        ? Optional.of(host)
        : cache().server(server).map(each -> parts.peers.replicas(each.address()));
  }

  @Override
  public void refresh(String table, long behind) {
    if (cache().byId(table).filter(each -> each.metadata().sequence() > behind).isPresent()
        || !refreshing.add(table)) {
      return;
    }
    Thread.ofVirtual()
        .name("stele-replica-refresh")
        .start(
            () -> {
              try {
                cache().refresh(table);
              } catch (SteleException e) {
                events.accept(
                    new ReplicaEvent.BackgroundFailed("looking for METADATA of " + table, e));
              } finally {
                refreshing.remove(table);
              }
            });
  }

  @Override
  public Metadata valid(String table) {
    return cache()
        .refresh(table)
        .filter(MetadataCache.Known::isListed)
        .filter(each -> each.metadata().txn().equals(each.config().metadataTxn()))
        .map(MetadataCache.Known::metadata)
        .orElseThrow(
            () -> new UnavailableException("the valid METADATA of table " + table + " is not had"));
  }

  @Override
  public Metadata change(String table, Metadata base, MetadataChange.Operation operation) {
    return metadata
        .requester()
        .change(
            table,
            valid -> valid.txn().equals(base.txn()) ? Optional.of(operation) : Optional.empty());
  }

  @Override
  public void followNow(String table) {
    var _ = valid(table);
    followKnown(table);
  }

  // ---- news

  /** What is known is looked at within the lock, so that nothing older comes behind it. */
  @Override
  public void tableChanged(String table) {
    following.lock();
    try {
      if (cache().byId(table).isPresent()) {
        follow(table);
      } else if (host.tables().contains(table)) {
        deleteIfDropped(table);
      }
    } finally {
      following.unlock();
    }
  }

  private void follow(String table) {
    try {
      followKnown(table);
    } catch (RuntimeException e) {
      events.accept(new ReplicaEvent.BackgroundFailed("following METADATA of " + table, e));
    }
  }

  /** Has the replicas of a table follow what is known; waits for others who do so. */
  void followKnown(String table) {
    following.lock();
    try {
      cache()
          .byId(table)
          .ifPresent(
              known -> host.follow(known.config().schema(), known.metadata(), known.isConfirmed()));
    } finally {
      following.unlock();
    }
  }

  @Override
  public void serversChanged() {
    host.serversChanged();
  }

  /** Deletes the replicas of a table whose drop is on record, and of no other. */
  private void deleteIfDropped(String table) {
    try {
      if (parts.coordination.isDropped(table)) {
        host.forget(table);
        unlisted.remove(table);
      } else if (unlisted.add(table)) {
        events.accept(new ReplicaEvent.Unknown(table));
      }
    } catch (SteleException e) {
      events.accept(new ReplicaEvent.BackgroundFailed("looking whether tables were dropped", e));
    }
  }

  // ---- upkeep

  void upkeep() {
    cache().tables().forEach(known -> follow(known.config().id())); // what failed before
    cache().tables().stream()
        .filter(MetadataCache.Known::isConfirmed)
        .forEach(known -> host.seen(known.config().id(), cache().refreshedMicros()));
    host.upkeep();
    time.upkeep();
    scans.closeIdle();
    for (String table : host.tables()) {
      if (cache().byId(table).isEmpty()) {
        deleteIfDropped(table); // while this server was away
      }
    }
  }

  private void repeat(long nanos, Runnable task) {
    while (rest(nanos)) {
      try {
        task.run();
      } catch (RuntimeException e) {
        events.accept(new ReplicaEvent.BackgroundFailed(Thread.currentThread().getName(), e));
      }
    }
  }

  /** Waits; false at the end. */
  private boolean rest(long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (left > 0 && !closed) {
        left = ended.awaitNanos(left);
      }
      return !closed;
    } catch (InterruptedException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  void close(boolean save) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
    subscription.close();
    keeper.close();
    metadata.close();
    scans.close();
    if (save) {
      host.close();
    } else {
      host.abandon();
    }
    memory.close();
    stores.close();
    for (Thread thread : threads) {
      try {
        thread.join(TimeUnit.SECONDS.toMillis(30));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // ---- tables

  /**
   * A table.
   *
   * @throws NotFoundException if there is none
   */
  MetadataCache.Known table(String name) {
    return cache().require(name);
  }

  /** A table as it is now; as it is known here, while the coordination service is away. */
  MetadataCache.Known newest(String name) {
    try {
      followNow(table(name).config().id());
    } catch (UnavailableException e) {
      // What is known has to do.
    }
    return table(name);
  }

  ConflictException exists(String name) {
    return new ConflictException("table \"" + name + "\" exists already");
  }
}
