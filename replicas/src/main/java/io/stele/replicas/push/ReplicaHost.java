package io.stele.replicas.push;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.metadata.RandomNames;
import io.stele.replicas.partition.Digest;
import io.stele.replicas.partition.PartitionStore;
import io.stele.replicas.partition.ReplicaName;
import io.stele.replicas.partition.ReplicaStores;
import io.stele.replicas.partition.StoredCells;
import io.stele.replicas.partition.WatchedStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * All replicas that a server has: they come when METADATA assigns them, and go when it does not any
 * more and all who should have them do. Answers other servers about them.
 *
 * <p>Requests look replicas up without a lock; one thread at a time opens and drops them.
 */
public final class ReplicaHost implements ReplicaPeer, AutoCloseable {
  private static final Executor VIRTUAL =
      task -> Thread.ofVirtual().name("stele-replica-call").start(task);

  private final ReplicaParts parts;
  private final ReplicaStores stores;
  private final Splits splits;
  private final Filling filling;
  private final Quarantine quarantine;
  private final Ring.Budget budget;
  private final Handovers handovers;

  private final Map<String, LocalReplica> byAssignment = new ConcurrentHashMap<>();
  // Tables of which there may be replicas on disk that are not open yet.
  private final Set<String> opening = ConcurrentHashMap.newKeySet();
  private final Map<String, LocalReplica> byPartition = new ConcurrentHashMap<>(); // assigned ones

  private final ReentrantLock lifecycle = new ReentrantLock();
  // Guarded by lifecycle.
  private final Map<String, List<ReplicaFile.Content>> unopened = new HashMap<>(); // by table
  private final Map<String, TableSchema> schemas = new HashMap<>();
  private volatile boolean closed; // looked at without it, too
  private long lastSaved;
  private final long startedMicros;

  /** The replicas that a disk has; none is opened before METADATA of its table is known. */
  public ReplicaHost(ReplicaStores stores, ReplicaParts parts) {
    this.parts = parts;
    this.stores = stores;
    this.startedMicros = parts.clock().micros();
    this.splits = new Splits(parts);
    this.filling = new Filling(parts);
    this.quarantine =
        new Quarantine(
            filling, parts, id -> Optional.ofNullable(byAssignment.get(id)), this::beginAgain);
    this.budget = new Ring.Budget(parts.settings().ringBytes());
    this.handovers = new Handovers(id -> Optional.ofNullable(byAssignment.get(id)), parts.clock());
    for (ReplicaName name : stores.list()) {
      find(name)
          .ifPresent(
              found -> unopened.computeIfAbsent(name.table(), _ -> new ArrayList<>()).add(found));
    }
    opening.addAll(unopened.keySet());
  }

  /** What a directory holds; one that is damaged is set aside, and holds up no other. */
  private Optional<ReplicaFile.Content> find(ReplicaName name) {
    try {
      Optional<ReplicaFile.Content> found = ReplicaFile.read(stores.directory(name));
      if (found.isPresent()) {
        stores.noteMade(name);
      } else if (BEFORE_IT.containsAll(stores.fileNames(name))) {
        stores.delete(name); // a crash came before there was anything in it
      } else {
        setAside(name, "its directory has no REPLICA file");
      }
      return found;
    } catch (CorruptDataException e) {
      setAside(name, String.valueOf(e.getMessage()));
      return Optional.empty();
    } catch (IOException e) {
      throw new UnavailableException("replica " + name + " cannot be read: " + e, e);
    }
  }

  // What is written to a new directory before its REPLICA file.
  private static final Set<String> BEFORE_IT = Set.of("SEQUENCES", "TAKEOVER");

  private void setAside(ReplicaName name, String why) {
    try {
      stores.setAside(name);
      stores.noteMade(name);
    } catch (IOException e) {
      throw new UnavailableException("replica " + name + " cannot be set aside: " + e, e);
    }
    parts.events().accept(new ReplicaEvent.Lost(name.toString(), why + "; it was set aside"));
  }

  // ---- tables

  /**
   * Opens, makes and directs the replicas of a table as METADATA says.
   *
   * @param confirmed whether the METADATA is known to have been valid since this server started
   */
  public void follow(TableSchema schema, Metadata metadata, boolean confirmed) {
    lifecycle.lock();
    try {
      if (closed) {
        return;
      }
      if (!openFound(schema, metadata, confirmed)) {
        return;
      }
      for (Replica assigned : assigned(metadata)) {
        if (!byAssignment.containsKey(assigned.assignment().id())) {
          makeAndOpen(assigned, schema, metadata);
        }
      }
      opening.remove(metadata.table());
      boolean altered = !schema.equals(schemas.get(metadata.table()));
      for (LocalReplica replica : replicas(metadata.table())) {
        if (altered) {
          replica.store().alter(schema);
        }
        if (!replica.beginning().isFromOneOf(byAssignment.keySet())) {
          replica.beginning().giveUp();
        }
        replica.follow(metadata);
        index(replica);
      }
      schemas.put(metadata.table(), schema);
    } catch (IOException e) {
      throw new UnavailableException("a replica could not be made or opened: " + e, e);
    } finally {
      lifecycle.unlock();
    }
  }

  /** Opens what was found on the disk; false if METADATA must be confirmed first. */
  private boolean openFound(TableSchema schema, Metadata metadata, boolean confirmed)
      throws IOException {
    List<ReplicaFile.Content> found = unopened.getOrDefault(metadata.table(), new ArrayList<>());
    Duration grace = schema.replication().orElseThrow().erasureGrace();
    if (!confirmed) {
      for (ReplicaFile.Content each : found) {
        if (LastSeen.open(stores.directory(each.replica().name())).isOlder(grace, startedMicros)
            && !Duty.of(metadata, each.replica()).targets().isEmpty()) {
          return false; // it may have been replaced meanwhile
        }
      }
    }
    while (!found.isEmpty()) {
      openOrSetAside(found.getLast(), schema, metadata, grace);
      found.removeLast();
    }
    unopened.remove(metadata.table());
    return true;
  }

  /**
   * Opens a replica that was found. One that was away for longer than the grace time may have cells
   * whose erasures are forgotten: not if it is still a member, since the others keep erasures until
   * all members have them; but if it was replaced, and would hand over what it has.
   */
  private void openOrSetAside(
      ReplicaFile.Content content, TableSchema schema, Metadata metadata, Duration grace)
      throws IOException {
    ReplicaName name = content.replica().name();
    LastSeen seen = LastSeen.open(stores.directory(name));
    Duty duty = Duty.of(metadata, content.replica());
    if (duty.role() == Duty.Role.LEAVING
        && !duty.targets().isEmpty()
        && seen.isOlder(grace, startedMicros)) {
      stores.setAside(name);
      parts.events().accept(new ReplicaEvent.Outdated(name.toString(), seen.before(startedMicros)));
      return;
    }
    try {
      open(content, schema, metadata, Optional.empty());
    } catch (CorruptDataException e) {
      setAside(content.replica().name(), String.valueOf(e.getMessage()));
    }
  }

  /**
   * Writes down what a new replica is, and what it begins with if it has a part of another. One
   * that was here before, and is not any more, was lost: it begins with nothing, and is filled.
   */
  private void makeAndOpen(Replica name, TableSchema schema, Metadata metadata) throws IOException {
    FileStore directory = stores.directory(name.name());
    boolean lost = stores.wasMade(name.name());
    if (lost) {
      parts
          .events()
          .accept(
              new ReplicaEvent.Lost(
                  name.toString(), "its directory is gone; the others will fill it"));
    }
    Optional<LocalReplica> source = lost ? Optional.empty() : splitFor(name, metadata);
    Optional<Ring.Part> changes = source.map(LocalReplica::handOn);
    if (source.isPresent()) {
      LocalReplica from = source.get();
      long sequence = changes.get().end() - 1;
      Map<String, SequenceMap.Held> held = from.heldByAll();
      held.replaceAll((_, each) -> each.atMost(sequence)); // later ones differ
      SequenceMap.begin(directory, held);
      new Takeover(from.name().partition(), from.name().assignment().id(), sequence, false)
          .save(directory);
    }
    ReplicaFile.Content content =
        new ReplicaFile.Content(name, RandomNames.next(parts.random()), lost);
    ReplicaFile.write(directory, content); // last: without it, nothing here counts
    stores.noteMade(name.name());
    open(content, schema, metadata, changes);
  }

  /** The replica here of a partition that is split, or was while this server was away. */
  private Optional<LocalReplica> splitFor(Replica name, Metadata metadata) {
    return replicas(name.table()).stream()
        .filter(each -> name.rows().intersect(each.name().rows()).equals(Optional.of(name.rows())))
        .filter(
            each ->
                metadata
                    .partition(each.name().partition())
                    .map(
                        whole ->
                            whole.split().isPresent()
                                && whole.members().contains(each.name().assignment()))
                    .orElse(!isHalfOfSplit(each.name().partition(), metadata)))
        .findFirst();
  }

  private static boolean isHalfOfSplit(String id, Metadata metadata) {
    return metadata.partitions().stream()
        .flatMap(each -> each.split().stream())
        .anyMatch(split -> split.lower().id().equals(id) || split.upper().id().equals(id));
  }

  private void open(
      ReplicaFile.Content content,
      TableSchema schema,
      Metadata metadata,
      Optional<Ring.Part> changes)
      throws IOException {
    Replica name = content.replica();
    FileStore directory = stores.directory(name.name());
    SequenceMap sequences = SequenceMap.open(directory);
    Beginning beginning = new Beginning(directory, Takeover.load(directory));
    PartitionStore store =
        new WatchedStore(
            stores.begin(name.name(), schema, beginning.sequence(), () -> confirmedByAll(name)),
            problem -> quarantine.found(name.assignment().id(), problem));
    Ring ring =
        changes
            .map(part -> Ring.behind(budget, part))
            .orElseGet(() -> new Ring(budget, store.sequence()));
    LocalReplica replica =
        new LocalReplica(
            name,
            store,
            new StoreMark(directory, content),
            LastSeen.open(directory),
            ScrubMark.open(directory),
            beginning,
            sequences,
            metadata,
            parts,
            handovers,
            ring);
    byAssignment.put(name.assignment().id(), replica);
    parts
        .events()
        .accept(
            new ReplicaEvent.Opened(
                name.toString(), replica.duty().role().text(), store.sequence()));
  }

  private long confirmedByAll(Replica name) {
    LocalReplica replica = byAssignment.get(name.assignment().id());
    return replica == null ? -1 : replica.confirmedByAll();
  }

  private void index(LocalReplica replica) {
    String partition = replica.name().partition();
    if (replica.duty().role() == Duty.Role.LEAVING) {
      byPartition.remove(partition, replica);
    } else {
      byPartition.put(partition, replica);
    }
  }

  /** What METADATA assigns to this server. */
  private List<Replica> assigned(Metadata metadata) {
    List<Replica> names = new ArrayList<>();
    for (Partition partition : metadata.partitions()) {
      List<Assignment> all = new ArrayList<>(partition.members());
      partition.joining().forEach(each -> all.add(each.assignment()));
      add(names, metadata, partition.id(), all, partition.first(), partition.last());
      if (partition.split().isPresent()) {
        Partition.Split split = partition.split().get();
        Partition.Half lower = split.lower();
        Partition.Half upper = split.upper();
        Optional<Bytes> at = Optional.of(split.at());
        add(names, metadata, lower.id(), lower.members(), partition.first(), at);
        add(names, metadata, upper.id(), upper.members(), split.at(), partition.last());
      }
    }
    return names;
  }

  private void add(
      List<Replica> names,
      Metadata metadata,
      String partition,
      List<Assignment> assignments,
      Bytes first,
      Optional<Bytes> last) {
    for (Assignment assignment : assignments) {
      if (assignment.server().equals(parts.partners().self())) {
        names.add(new Replica(metadata.table(), partition, assignment, first, last));
      }
    }
  }

  /** Removes all replicas of a table that is no more. */
  public void forget(String table) {
    lifecycle.lock();
    try {
      schemas.remove(table);
      List<ReplicaFile.Content> left = unopened.computeIfAbsent(table, _ -> new ArrayList<>());
      for (LocalReplica replica : replicas(table)) {
        left.add(new ReplicaFile.Content(replica.name(), replica.mark().store(), false));
        remove(replica, "its table was dropped");
        left.removeLast(); // what fails to go is tried again
      }
      while (!left.isEmpty()) {
        stores.delete(left.getLast().replica().name());
        left.removeLast();
      }
      unopened.remove(table);
      opening.remove(table);
    } finally {
      lifecycle.unlock();
    }
  }

  /** Tables of which there may be replicas here. */
  public List<String> tables() {
    lifecycle.lock();
    try {
      List<String> tables = new ArrayList<>(unopened.keySet());
      byAssignment.values().forEach(each -> tables.add(each.name().table()));
      return tables.stream().distinct().toList();
    } finally {
      lifecycle.unlock();
    }
  }

  private void remove(LocalReplica replica, String why) {
    byPartition.remove(replica.name().partition(), replica);
    byAssignment.remove(replica.name().assignment().id(), replica);
    replica.close();
    stores.delete(replica.name().name());
    parts.events().accept(new ReplicaEvent.Dropped(replica.name().toString(), why));
  }

  /** Work in the background of a replica's store found corrupt data. */
  public void foundCorrupt(ReplicaName name, CorruptDataException problem) {
    SteleException _ = quarantine.found(name.assignment(), problem); // nobody reads
  }

  /** Sets a replica aside, and has one in its place that the others fill. */
  private boolean beginAgain(LocalReplica replica, String why) {
    lifecycle.lock();
    try {
      Replica name = replica.name();
      TableSchema schema = schemas.get(name.table());
      if (closed || schema == null || !byAssignment.remove(name.assignment().id(), replica)) {
        return false;
      }
      byPartition.remove(name.partition(), replica);
      replica.close();
      setAside(name.name(), why);
      makeAndOpen(name, schema, replica.metadata()); // if it fails, the next upkeep does it
      LocalReplica empty = byAssignment.get(name.assignment().id());
      if (empty != null) {
        empty.follow(replica.metadata());
        index(empty);
      }
      return true;
    } catch (IOException e) {
      throw new UnavailableException("replica " + replica.name() + " cannot be made: " + e, e);
    } finally {
      lifecycle.unlock();
    }
  }

  // ---- replicas

  /** The replica of a partition that is assigned to this server. */
  public Optional<LocalReplica> replica(String partition) {
    return Optional.ofNullable(byPartition.get(partition));
  }

  public List<LocalReplica> replicas(String table) {
    return byAssignment.values().stream()
        .filter(each -> each.name().table().equals(table))
        .toList();
  }

  public List<LocalReplica> replicas() {
    return List.copyOf(byAssignment.values());
  }

  /** Servers have come or gone. */
  public void serversChanged() {
    byAssignment.values().forEach(LocalReplica::retryNow);
  }

  // ---- upkeep

  /** METADATA of a table that is followed here was valid at a time. */
  public void seen(String table, long micros) {
    Optional<TableSchema> schema = schema(table);
    if (schema.isPresent()) {
      Duration grace = schema.get().replication().orElseThrow().erasureGrace();
      for (LocalReplica replica : replicas(table)) {
        attempt(
            "noting that replica " + replica.name() + " is in contact",
            () -> whileHere(replica, () -> replica.lastSeen().note(micros, grace)));
      }
    }
  }

  /** A replica is to be compared with the others at a time. */
  public void scrubDue(LocalReplica replica, long micros) {
    attempt(
        "noting when replica " + replica.name() + " is compared",
        () -> whileHere(replica, () -> replica.scrubMark().due(micros)));
  }

  /** A replica was compared with all others, and is to be again. */
  public void scrubbed(LocalReplica replica, long micros, long nextMicros) {
    attempt(
        "noting that replica " + replica.name() + " was compared",
        () -> whileHere(replica, () -> replica.scrubMark().done(micros, nextMicros)));
  }

  /** Ends waits of writers that have lasted long enough. */
  public void expire() {
    long now = parts.clock().nanos();
    byAssignment.values().forEach(each -> each.expire(now));
  }

  /** Drops what may go, finalizes what is complete, splits what has grown, and saves. */
  public void upkeep() {
    for (LocalReplica replica : byAssignment.values()) {
      attempt("drop of replica " + replica.name(), () -> dropIfMayGo(replica));
      attempt("filling of replica " + replica.name(), () -> filling.fillIfLost(replica));
      attempt("finalizing of " + replica.name(), () -> splits.finalizeWhatIsComplete(replica));
      attempt(
          "leaving of " + replica.name(), () -> splits.leaveIfSurplus(replica, schema(replica)));
      attempt("split of " + replica.name(), () -> splits.splitIfGrown(replica, schema(replica)));
    }
    long now = parts.clock().nanos();
    if (now - lastSaved > parts.settings().save().toNanos()) {
      lastSaved = now;
      save();
    }
  }

  private Optional<TableSchema> schema(LocalReplica replica) {
    return schema(replica.name().table());
  }

  private Optional<TableSchema> schema(String table) {
    lifecycle.lock();
    try {
      return Optional.ofNullable(schemas.get(table));
    } finally {
      lifecycle.unlock();
    }
  }

  private void save() {
    for (LocalReplica replica : byAssignment.values()) {
      attempt(
          "save of how far others are with " + replica.name(),
          () -> whileHere(replica, replica::save));
    }
  }

  /** A file that is written while its directory is deleted would stay behind. */
  private void whileHere(LocalReplica replica, Task task) throws IOException {
    lifecycle.lock();
    try {
      if (byAssignment.get(replica.name().assignment().id()) == replica) {
        task.run();
      }
    } finally {
      lifecycle.unlock();
    }
  }

  private interface Task {
    void run() throws IOException;
  }

  private void attempt(String what, Task task) {
    try {
      task.run();
    } catch (IOException | RuntimeException e) {
      if (!isClosed()) {
        parts.events().accept(new ReplicaEvent.BackgroundFailed(what, e));
      }
    }
  }

  private boolean isClosed() {
    lifecycle.lock();
    try {
      return closed;
    } finally {
      lifecycle.unlock();
    }
  }

  private void dropIfMayGo(LocalReplica replica) {
    if (!replica.mayGo()) {
      return;
    }
    Metadata valid = parts.partners().valid(replica.name().table());
    if (valid.sequence() != replica.metadata().sequence()) {
      return; // it is told of it, and then there may be others who should have it
    }
    lifecycle.lock();
    try {
      if (!closed && replica.freezeIfMayGo()) {
        remove(replica, "it is not of this server any more, and all others have it");
      }
    } finally {
      lifecycle.unlock();
    }
  }

  // ---- what other servers ask

  @Override
  public CompletableFuture<Push.Answer> push(Push push) {
    return push.catchUp() ? later(() -> receive(push)) : now(() -> receive(push));
  }

  private CompletableFuture<Push.Answer> receive(Push push) {
    LocalReplica replica = byAssignment.get(push.to().id());
    if (replica == null || !replica.name().assignment().equals(push.to())) {
      parts.partners().refresh(push.table(), push.metadata() - 1);
      throw new NotServingException(
          "assignment "
              + push.to()
              + " of partition "
              + push.partition()
              + " is not at server "
              + parts.partners().self());
    }
    return replica.receive(push);
  }

  @Override
  public CompletableFuture<List<Push.Progress>> progress(String table, String partition) {
    return now(
        () -> {
          if (opening.contains(table)) { // nobody must think that there is none
            throw new NotServingException(
                "replicas of table " + table + " are just being opened by " + self());
          }
          List<Push.Progress> found =
              byAssignment.values().stream()
                  .filter(each -> each.name().table().equals(table))
                  .filter(each -> each.name().partition().equals(partition))
                  .map(LocalReplica::progress)
                  .toList();
          if (closed) {
            throw new NotServingException(self() + " has stopped");
          }
          return CompletableFuture.completedFuture(found);
        });
  }

  private String self() {
    return "server " + parts.partners().self();
  }

  @Override
  public CompletableFuture<Stored> stored(
      String table, String partition, ReadPredicate predicate, int maxBytes) {
    return later(
        () -> {
          LocalReplica replica = here(table, partition);
          StoredCells cells = replica.readable().stored(predicate, maxBytes);
          return CompletableFuture.completedFuture(
              new Stored(cells, replica.metadata().sequence(), parts.time().now()));
        });
  }

  @Override
  public CompletableFuture<List<Digest>> digests(
      String table, String partition, RowRange rows, List<Bytes> cuts) {
    return later(
        () ->
            CompletableFuture.completedFuture(
                here(table, partition).readable().digests(rows, cuts)));
  }

  @Override
  public CompletableFuture<Void> repair(String table, String partition, Bytes cells) {
    return later(() -> here(table, partition).mend(CellBatch.parse(cells.toArray())));
  }

  @Override
  public CompletableFuture<Boolean> fill(
      String table, String partition, Assignment to, String store) {
    return now(
        () -> CompletableFuture.completedFuture(here(table, partition).fill(to.id(), store)));
  }

  @Override
  public CompletableFuture<Bytes> split(String table, String partition, Bytes row) {
    return later(
        () -> CompletableFuture.completedFuture(splits.begin(here(table, partition), row)));
  }

  @Override
  public CompletableFuture<Void> upkeep(String table, boolean compact) {
    return later(
        () -> {
          for (LocalReplica replica : replicas(table)) {
            if (compact) {
              replica.store().compact();
            } else {
              replica.store().flush();
            }
          }
          return CompletableFuture.completedFuture(null);
        });
  }

  private LocalReplica here(String table, String partition) {
    LocalReplica replica = byPartition.get(partition);
    if (replica == null) {
      throw new NotServingException(
          "partition "
              + partition
              + " of table "
              + table
              + " is not at server "
              + parts.partners().self());
    }
    return replica;
  }

  /** Failures are in the future, whenever they show. */
  private static <T> CompletableFuture<T> now(Supplier<CompletableFuture<T>> call) {
    try {
      return call.get();
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** For what may read files. */
  private static <T> CompletableFuture<T> later(Supplier<CompletableFuture<T>> call) {
    return CompletableFuture.completedFuture(true).thenComposeAsync(_ -> call.get(), VIRTUAL);
  }

  /** Saves how far everybody is, and stops. */
  @Override
  public void close() {
    save();
    abandon();
  }

  /** Stops as a crash would, as far as others can tell. */
  public void abandon() {
    lifecycle.lock();
    try {
      closed = true;
      byPartition.clear();
      List<LocalReplica> all = List.copyOf(byAssignment.values());
      byAssignment.clear();
      all.forEach(LocalReplica::close);
      handovers.close();
    } finally {
      lifecycle.unlock();
    }
  }
}
