package io.stele.replicas.push;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Consistency.Acks;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.metadata.RandomNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Begins splits, and finalizes splits and joins: any member does, whoever finds first that all is
 * where it should be. Two that do it at once do no harm, as METADATA takes one of them.
 *
 * <p>A split is complete when for a majority of each half's members, a majority of the partition's
 * members have got everything confirmed that they had at a moment when they knew of the split. Any
 * change that a majority has had before they knew was at one of those, and so is at a majority of
 * its half; any later one is acknowledged only if a majority of its half has it. A join is complete
 * when a majority of the members have everything confirmed by the one that joins that they had at
 * such a moment; any later change is acknowledged only if a majority of the members to be has it.
 */
final class Splits {
  private static final long ASK_SECONDS = 5;
  private static final int MOST_MEMBERS = Integer.MAX_VALUE; // while the schema is not known
  private static final int MOST_FLOORS = 1_000;

  private final ReplicaParts parts;
  // Of partitions that have grown: when to begin a split, so that not all members do it at once.
  private final Map<String, Long> due = new ConcurrentHashMap<>();
  // What members had when they first said that they knew of what is to be filled.
  private final Map<Filling, Map<Assignment, Long>> floors = new ConcurrentHashMap<>();

  /**
   * What is to be filled.
   *
   * @param id of the lower half, or of the assignment that joins
   * @param assignments those that count. When one of them is replaced, floors of before say nothing
   *     about changes that were acknowledged since by the one that is gone: they are taken again
   */
  private record Filling(String id, List<Assignment> assignments) {
    static Filling of(Partition partition, Partition.Split split) {
      List<Assignment> all = new ArrayList<>(partition.members());
      all.addAll(split.lower().members());
      all.addAll(split.upper().members());
      return new Filling(split.lower().id(), all);
    }
  }

  Splits(ReplicaParts parts) {
    this.parts = parts;
  }

  // ---- beginning

  /** Begins a split if the replica has more than it should. */
  void splitIfGrown(LocalReplica replica, Optional<TableSchema> schema) {
    String partition = replica.name().partition();
    long most = schema.flatMap(TableSchema::replication).map(Replication::splitBytes).orElse(0L);
    Optional<Partition> entry = replica.metadata().partition(partition);
    boolean grown =
        most > 0
            && replica.duty().role() == Duty.Role.SERVING
            && !replica.mark().isFilling()
            && entry.isPresent()
            && entry.get().split().isEmpty()
            && entry.get().joining().isEmpty()
            && replica.store().bytes() > most;
    if (!grown) {
      due.remove(partition);
      return;
    }
    long now = parts.clock().nanos();
    long spread = TimeUnit.SECONDS.toNanos(1);
    long at =
        due.computeIfAbsent(partition, _ -> now + (long) (spread * parts.random().nextDouble()));
    if (now - at < 0) {
      return;
    }
    try {
      begin(replica, Bytes.EMPTY);
    } catch (ConflictException | InvalidRequestException e) {
      due.put(partition, now + 10 * spread); // another was faster, or there is no row to split at
    }
  }

  /**
   * Records that a partition is being split.
   *
   * @param row the last of the lower half; empty to choose by size
   */
  Bytes begin(LocalReplica replica, Bytes row) {
    Metadata metadata = replica.metadata();
    String id = replica.name().partition();
    Partition partition =
        metadata
            .partition(id)
            .filter(_ -> replica.duty().role() == Duty.Role.SERVING)
            .orElseThrow(
                () -> new NotServingException("replica " + replica.name() + " does not serve"));
    if (partition.split().isPresent()) {
      throw new ConflictException(
          "partition " + id + " is being split already, at " + partition.split().get().at());
    }
    Bytes at = row.isEmpty() ? middle(replica, partition) : row;
    Partition.Split split =
        new Partition.Split(at, half(partition.members()), half(partition.members()));
    Metadata after =
        parts
            .partners()
            .change(replica.name().table(), metadata, new MetadataChange.BeginSplit(id, split));
    if (!after.partition(id).flatMap(Partition::split).equals(Optional.of(split))
        && after.partition(split.lower().id()).isEmpty()) {
      throw new ConflictException(
          "partition " + id + " was changed by others before its split could be recorded");
    }
    parts.events().accept(new ReplicaEvent.SplitBegun(id, at.toString()));
    return at;
  }

  private static Bytes middle(LocalReplica replica, Partition partition) {
    for (Bytes cut : replica.store().cuts(partition.rows(), 2)) {
      boolean inside =
          cut.compareTo(partition.first()) > 0
              && (partition.last().isEmpty() || cut.compareTo(partition.last().get()) < 0);
      if (inside) {
        return cut;
      }
    }
    throw new InvalidRequestException(
        "partition "
            + partition.id()
            + " from behind \""
            + partition.first()
            + "\" has no row in its middle to split at: must have more rows");
  }

  /** The same servers, under new assignments: what is on a server need not go over the network. */
  private Partition.Half half(List<Assignment> members) {
    List<Assignment> assignments = new ArrayList<>();
    for (Assignment member : members) {
      assignments.add(new Assignment(member.server(), RandomNames.next(parts.random())));
    }
    return new Partition.Half(RandomNames.next(parts.random()), assignments);
  }

  // ---- leaving

  /**
   * Takes a replica out of its partition if there are more members than the table wants: the last
   * in the list leaves, once all others have confirmed everything that it has. One at a time, so
   * that each majority of before meets each majority of after.
   */
  void leaveIfSurplus(LocalReplica replica, Optional<TableSchema> schema) {
    int wanted =
        schema.flatMap(TableSchema::replication).map(Replication::replicas).orElse(MOST_MEMBERS);
    Metadata metadata = replica.metadata();
    Optional<Partition> found =
        metadata
            .partition(replica.name().partition())
            .filter(each -> each.members().size() > wanted)
            .filter(each -> each.split().isEmpty() && each.joining().isEmpty())
            .filter(each -> each.members().getLast().equals(replica.name().assignment()));
    if (found.isEmpty() || replica.mark().isFilling() || !replica.allHaveAll()) {
      return;
    }
    try {
      change(
          metadata,
          new MetadataChange.Leave(found.get().id(), List.of(replica.name().assignment().id())));
    } catch (ConflictException e) {
      parts.partners().refresh(metadata.table(), metadata.sequence());
    }
  }

  // ---- finalizing

  /** Finalizes the split and the joins of a partition that are complete. */
  void finalizeWhatIsComplete(LocalReplica replica) {
    if (replica.duty().role() != Duty.Role.SERVING || replica.mark().isFilling()) {
      return;
    }
    Metadata metadata = replica.metadata();
    Optional<Partition> found = metadata.partition(replica.name().partition());
    if (found.isEmpty() || (found.get().split().isEmpty() && found.get().joining().isEmpty())) {
      return;
    }
    if (floors.size() > MOST_FLOORS) {
      floors.clear(); // of splits and joins that others have finalized; the rest is asked again
    }
    Partition partition = found.get();
    List<Push.Progress> progress = ask(metadata, partition);
    try {
      if (partition.split().isPresent() && isSplit(partition, progress)) {
        Partition.Split split = partition.split().get();
        change(
            metadata,
            new MetadataChange.FinalizeSplit(
                partition.id(), split.lower().id(), split.upper().id()));
        floors.remove(Filling.of(partition, split));
        parts
            .events()
            .accept(
                new ReplicaEvent.SplitDone(partition.id(), split.lower().id(), split.upper().id()));
        return;
      }
      for (Partition.Joining joining : partition.joining()) {
        Assignment assignment = joining.assignment();
        Filling filling = new Filling(assignment.id(), partition.members());
        Map<Assignment, Long> floor = floor(filling, progress);
        if (confirmers(partition, progress, floor, assignment) >= majority(partition.members())) {
          change(metadata, new MetadataChange.FinalizeJoin(partition.id(), assignment.id()));
          floors.remove(filling);
          parts.events().accept(new ReplicaEvent.JoinDone(partition.id(), assignment.toString()));
          return;
        }
      }
    } catch (ConflictException e) {
      // Another member was faster, or METADATA changed otherwise: it will be looked at again.
      parts.partners().refresh(metadata.table(), metadata.sequence());
    }
  }

  /** What members had when they first said that they knew. */
  private Map<Assignment, Long> floor(Filling filling, List<Push.Progress> progress) {
    Map<Assignment, Long> floor = floors.computeIfAbsent(filling, _ -> new ConcurrentHashMap<>());
    progress.forEach(each -> floor.putIfAbsent(each.assignment(), each.sequence()));
    return floor;
  }

  private void change(Metadata metadata, MetadataChange.Operation operation) {
    parts.partners().change(metadata.table(), metadata, operation);
  }

  private boolean isSplit(Partition partition, List<Push.Progress> progress) {
    Partition.Split split = partition.split().orElseThrow();
    Map<Assignment, Long> floor = floor(Filling.of(partition, split), progress);
    return isFilled(partition, split.lower(), progress, floor)
        && isFilled(partition, split.upper(), progress, floor);
  }

  private static boolean isFilled(
      Partition partition,
      Partition.Half half,
      List<Push.Progress> progress,
      Map<Assignment, Long> floor) {
    long filled =
        half.members().stream()
            .filter(
                each ->
                    confirmers(partition, progress, floor, each) >= majority(partition.members()))
            .count();
    return filled >= majority(half.members());
  }

  /** How many members have had everything confirmed by an assignment. */
  private static long confirmers(
      Partition partition,
      List<Push.Progress> progress,
      Map<Assignment, Long> floor,
      Assignment assignment) {
    return progress.stream()
        .filter(each -> partition.members().contains(each.assignment()))
        .filter(
            each -> has(each, assignment, floor.getOrDefault(each.assignment(), Long.MAX_VALUE)))
        .count();
  }

  private static boolean has(Push.Progress progress, Assignment assignment, long floor) {
    return progress.confirmed().stream()
        .anyMatch(each -> each.assignment().equals(assignment.id()) && each.sequence() >= floor);
  }

  private static int majority(List<Assignment> members) {
    return Acks.MAJORITY.of(members.size());
  }

  /** How far the members are that answer, and that know what is to be finalized. */
  private List<Push.Progress> ask(Metadata metadata, Partition partition) {
    List<CompletableFuture<List<Push.Progress>>> asked = new ArrayList<>();
    for (Assignment member : partition.members()) {
      parts
          .partners()
          .peer(member.server())
          .ifPresent(peer -> asked.add(peer.progress(metadata.table(), partition.id())));
    }
    List<Push.Progress> answers = new ArrayList<>();
    for (CompletableFuture<List<Push.Progress>> each : asked) {
      try {
        each.get(ASK_SECONDS, TimeUnit.SECONDS).stream()
            .filter(progress -> progress.metadata() >= metadata.sequence() && !progress.filling())
            .forEach(answers::add);
      } catch (TimeoutException | ExecutionException e) {
        // It does not count, then.
      } catch (InterruptedException e) {
        throw new UnavailableException("interrupted", e);
      }
    }
    return answers;
  }
}
