package io.stele.replicas.placement;

import io.stele.base.error.SteleException;
import io.stele.base.schema.Replication;
import io.stele.base.time.Clock;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Coordination;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataCache;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.MetadataPeer;
import io.stele.replicas.metadata.MetadataServer;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.metadata.RandomNames;
import io.stele.replicas.metadata.TableConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Replaces dead servers, of all tables, on the one server that leads: as members of partitions, and
 * as metadata servers; and moves replicas between live ones to balance them. It keeps nothing that
 * another could not find out again: since when it has seen servers dead, so that a new leader waits
 * the whole time again, and how large partitions were.
 *
 * <p>Two that lead at once do no harm: METADATA changes only if it is still what the change was
 * decided by.
 *
 * <p>Threads: one of its own, for rounds.
 */
public final class Keeper implements AutoCloseable {
  private final MetadataServer metadata;
  private final Coordination coordination;
  private final Function<String, MetadataPeer> peers;
  private final Clock clock;
  private final RandomGenerator random;
  private final Placement placement;
  private final Sizes sizes;
  private final Consumer<? super KeeperEvent> events;
  private final KeeperSettings settings;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private boolean closed; // guarded by lock
  private @Nullable Thread thread; // guarded by lock

  private final ReentrantLock rounds = new ReentrantLock(); // one at a time
  private final Map<String, Long> deadSince = new HashMap<>(); // guarded by rounds
  private final Map<String, Long> bytes = new HashMap<>(); // by partition; guarded by rounds
  private long askedSizes; // guarded by rounds

  private static final long ASK_SIZES_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** How large partitions are. */
  public interface Sizes {
    /** The bytes of a partition's replica; none if no member says. */
    OptionalLong bytes(String table, Partition partition);
  }

  /**
   * A keeper that does nothing until it is started, or told to.
   *
   * @param metadata of this server
   * @param peers how servers are reached, by their addresses
   * @param random any number of threads may use it
   * @param sizes how large partitions are; may block for a bounded time
   */
  public Keeper(
      MetadataServer metadata,
      Coordination coordination,
      Function<String, MetadataPeer> peers,
      Clock clock,
      RandomGenerator random,
      Sizes sizes,
      Consumer<? super KeeperEvent> events,
      KeeperSettings settings) {
    this.metadata = metadata;
    this.coordination = coordination;
    this.peers = peers;
    this.clock = clock;
    this.random = random;
    this.placement = new Placement(random);
    this.sizes = sizes;
    this.events = events;
    this.settings = settings;
  }

  /** Looks once at everything, if this server leads. */
  public void round() {
    rounds.lock();
    try {
      if (!coordination.leads()) {
        deadSince.clear();
        bytes.clear();
        return;
      }
      List<LiveServer> live = coordination.servers();
      List<TableConfig> tables =
          coordination.tables().stream().map(Coordination.Kept::config).toList();
      note(live, tables);
      for (TableConfig table : tables) {
        if (coordination.leads()) {
          keepMetadataServers(table, live);
          keepPartitions(table, live);
        }
      }
      balance(live, tables);
    } finally {
      rounds.unlock();
    }
  }

  /** Notes who is missing, and since when. */
  private void note(List<LiveServer> live, List<TableConfig> tables) {
    Set<String> missing = new HashSet<>();
    for (TableConfig table : tables) {
      missing.addAll(table.metadataServers());
      known(table).ifPresent(each -> missing.addAll(each.metadata().servers()));
    }
    live.forEach(each -> missing.remove(each.id()));
    deadSince.keySet().retainAll(missing);
    long now = clock.nanos();
    missing.forEach(each -> deadSince.putIfAbsent(each, now));
  }

  private Optional<MetadataCache.Known> known(TableConfig table) {
    Optional<MetadataCache.Known> known = metadata.cache().byId(table.id());
    return known.isPresent() ? known : attempt("looking for METADATA of " + table.name(), table);
  }

  private Optional<MetadataCache.Known> attempt(String what, TableConfig table) {
    try {
      return metadata.cache().refresh(table.id());
    } catch (SteleException e) {
      events.accept(new KeeperEvent.Failed(what, e));
      return Optional.empty();
    }
  }

  private Set<String> deadFor(Duration grace) {
    long now = clock.nanos();
    return deadSince.entrySet().stream()
        .filter(each -> now - each.getValue() >= grace.toNanos())
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  // ---- metadata servers

  /** Who is new comes before who is dead goes: so there are never fewer copies than before. */
  private void keepMetadataServers(TableConfig table, List<LiveServer> live) {
    Set<String> living = live.stream().map(LiveServer::id).collect(Collectors.toSet());
    Set<String> listed = new HashSet<>(table.metadataServers());
    long serving = listed.stream().filter(living::contains).count();
    long wanted = Math.min(settings.metadataServers(), live.size());
    if (serving == 0) {
      return; // nobody could give the file to another: somebody must come back
    }
    for (LiveServer server : placement.order(live, listed, listed)) {
      if (serving < wanted && join(table, server)) {
        serving++;
      }
    }
    for (String server : table.metadataServers()) {
      if (deadFor(settings.metadataDeadAfter()).contains(server)) {
        try {
          metadata.remove(table.id(), server);
        } catch (SteleException e) {
          events.accept(
              new KeeperEvent.Failed(
                  "taking " + server + " out of the metadata servers of " + table.name(), e));
        }
      }
    }
  }

  private boolean join(TableConfig table, LiveServer server) {
    try {
      peers.apply(server.address()).join(table.id());
      return true;
    } catch (SteleException e) {
      events.accept(
          new KeeperEvent.Failed(
              "making " + server.id() + " a metadata server of " + table.name(), e));
      return false;
    }
  }

  // ---- partitions

  private void keepPartitions(TableConfig table, List<LiveServer> live) {
    int replicas = table.schema().replication().orElse(Replication.DEFAULT).replicas();
    ReplacementPlan plan =
        new ReplacementPlan(live, deadFor(settings.deadAfter()), placement, random);
    Optional<MetadataCache.Known> known = known(table);
    if (known.isEmpty()) {
      return;
    }
    for (Partition partition : known.get().metadata().partitions()) {
      // A step may make way for another; what needs more than a few waits for the next round.
      boolean more = true;
      for (int step = 0; step < 1 + 3 * replicas && more; step++) {
        more = step(table, partition.id(), plan, replicas);
      }
    }
  }

  /** Takes one step; false if there was none. */
  private boolean step(TableConfig table, String partition, ReplacementPlan plan, int replicas) {
    Optional<Partition> now =
        metadata.cache().byId(table.id()).flatMap(each -> each.metadata().partition(partition));
    if (now.isEmpty() || plan.next(now.get(), replicas).isEmpty()) {
      return false;
    }
    AtomicReference<Optional<Runnable>> taken = new AtomicReference<>(Optional.empty());
    try {
      metadata
          .requester()
          .change(
              table.id(),
              valid -> {
                Optional<MetadataChange.Operation> next =
                    valid.partition(partition).flatMap(each -> plan.next(each, replicas));
                taken.set(next.map(operation -> () -> tell(table, valid, operation)));
                return next;
              });
    } catch (SteleException e) {
      events.accept(
          new KeeperEvent.Failed(
              "replacing servers of partition " + partition + " of " + table.name(), e));
      return false;
    }
    taken.get().ifPresent(Runnable::run);
    return taken.get().isPresent();
  }

  private void tell(TableConfig table, Metadata before, MetadataChange.Operation operation) {
    switch (operation) {
      case MetadataChange.Join(var partition, var assignment, var replaces) ->
          events.accept(
              replaces.isPresent()
                  ? new KeeperEvent.Replacing(
                      table.name(), partition, server(before, replaces.get()), assignment.server())
                  : new KeeperEvent.Adding(table.name(), partition, assignment.server()));
      case MetadataChange.Leave(var partition, var assignments) ->
          assignments.forEach(
              id ->
                  events.accept(
                      new KeeperEvent.GivenUp(table.name(), partition, server(before, id))));
      case MetadataChange.BeginSplit _,
          MetadataChange.FinalizeSplit _,
          MetadataChange.FinalizeJoin _ ->
          throw new IllegalStateException("a keeper does not ask for " + operation);
    }
  }

  private static String server(Metadata metadata, String assignment) {
    return metadata.partitions().stream()
        .flatMap(each -> each.assignments().stream())
        .filter(each -> each.id().equals(assignment))
        .map(Assignment::server)
        .findFirst()
        .orElse(assignment);
  }

  // ---- balance

  /** Moves replicas as the plan says, no more at a time than allowed. */
  private void balance(List<LiveServer> live, List<TableConfig> tables) {
    Map<String, String> names = new HashMap<>(); // by id
    tables.forEach(each -> names.put(each.id(), each.name()));
    boolean more = settings.moves() > 0 && live.size() > 1;
    while (more && coordination.leads()) {
      List<Metadata> all =
          tables.stream()
              .flatMap(each -> known(each).stream())
              .map(each -> each.metadata())
              .toList();
      BalancePlan plan = new BalancePlan(live, all, bytes);
      if (plan.underWay() >= settings.moves()) {
        return;
      }
      askSizes(plan, all);
      more =
          new BalancePlan(live, all, bytes)
              .next()
              .map(move -> move(move, names.getOrDefault(move.table(), move.table())))
              .orElse(false);
    }
  }

  /** Sizes change slowly: each is asked now and then. */
  private void askSizes(BalancePlan plan, List<Metadata> tables) {
    long now = clock.nanos();
    if (bytes.isEmpty() || now - askedSizes >= ASK_SIZES_NANOS) {
      bytes.clear();
      askedSizes = now;
    }
    for (Metadata table : tables) {
      for (Partition partition : plan.atRest(table)) {
        if (!bytes.containsKey(partition.id())) {
          sizes
              .bytes(table.table(), partition)
              .ifPresent(found -> bytes.put(partition.id(), found));
        }
      }
    }
  }

  /** Says whether another server begins to join. */
  private boolean move(BalancePlan.Move move, String table) {
    Assignment to = new Assignment(move.to().id(), RandomNames.next(random));
    MetadataChange.Operation join =
        new MetadataChange.Join(move.partition(), to, Optional.of(move.from().id()));
    try {
      Metadata after =
          metadata
              .requester()
              .change(
                  move.table(),
                  valid -> valid.partition(move.partition()).filter(move::fits).map(_ -> join));
      boolean begun =
          after
              .partition(move.partition())
              .filter(each -> each.assignments().contains(to))
              .isPresent();
      if (begun) {
        events.accept(
            new KeeperEvent.Moving(table, move.partition(), move.from().server(), move.to().id()));
      }
      return begun;
    } catch (SteleException e) {
      events.accept(
          new KeeperEvent.Failed("moving partition " + move.partition() + " of " + table, e));
      return false;
    }
  }

  // ---- the thread

  /** Begins to look now and then. */
  public void start() {
    lock.lock();
    try {
      if (thread == null && !closed) {
        thread = Thread.ofPlatform().daemon().name("stele-keeper").start(this::run);
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (awaitRound()) {
      try {
        round();
      } catch (RuntimeException e) {
        events.accept(new KeeperEvent.Failed("looking after replicated tables", e));
      }
    }
  }

  private boolean awaitRound() {
    lock.lock();
    try {
      long left = settings.every().toNanos();
      while (!closed && left > 0) {
        left = ended.awaitNanos(left);
      }
      return !closed;
    } catch (InterruptedException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    Thread ending;
    lock.lock();
    try {
      closed = true;
      ended.signalAll();
      ending = thread;
    } finally {
      lock.unlock();
    }
    if (ending != null) {
      try {
        ending.join(TimeUnit.SECONDS.toMillis(30)); // calls of others end within a bounded time
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
