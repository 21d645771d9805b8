package io.stele.replicas.placement;

import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.metadata.RandomNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * What is to be done about the dead servers of a partition, decided by what is known alone.
 *
 * <p>A member is never taken out: another server is sent what there is, and takes the place of the
 * dead one when it has everything. So the last copy is never let go, even if its server is dead.
 *
 * @param live servers that can be given something
 * @param dead servers that were dead for too long; those in neither list are waited for
 */
record ReplacementPlan(
    Collection<LiveServer> live, Set<String> dead, Placement placement, RandomGenerator random) {

  /** The next step; none if there is nothing to do, or no server to do it with. */
  Optional<MetadataChange.Operation> next(Partition partition, int replicas) {
    return giveUp(partition)
        .or(() -> removeSurplus(partition, replicas))
        .or(() -> replaceInHalves(partition))
        .or(() -> replaceMember(partition))
        .or(() -> add(partition, replicas));
  }

  private Optional<MetadataChange.Operation> giveUp(Partition partition) {
    List<String> lost =
        partition.joining().stream()
            .filter(each -> isDead(each.assignment()) || isIdleMove(partition, each))
            .map(each -> each.assignment().id())
            .toList();
    return lost.isEmpty()
        ? Optional.empty()
        : Optional.of(new MetadataChange.Leave(partition.id(), lost));
  }

  /**
   * Whether a server that is not live was to take the place of one that is. Nobody waits for it to
   * come back: meanwhile majorities would need all members but one.
   */
  private boolean isIdleMove(Partition partition, Partition.Joining joining) {
    return !isLive(joining.assignment())
        && partition.members().stream()
            .filter(each -> joining.replaces().equals(Optional.of(each.id())))
            .anyMatch(this::isLive);
  }

  /**
   * A dead member of which there is no need is not replaced. Live ones leave by themselves, when
   * the others have all that they have: see {@code push.Splits}.
   */
  private Optional<MetadataChange.Operation> removeSurplus(Partition partition, int replicas) {
    boolean surplus =
        partition.members().size() > replicas
            && partition.split().isEmpty()
            && partition.joining().isEmpty();
    return surplus
        ? partition.members().stream()
            .filter(this::isDead)
            .findFirst()
            .map(member -> new MetadataChange.Leave(partition.id(), List.of(member.id())))
        : Optional.empty();
  }

  /** A half is sent everything as long as the split goes on: so who is new there joins at once. */
  private Optional<MetadataChange.Operation> replaceInHalves(Partition partition) {
    return partition.split().stream()
        .flatMap(split -> List.of(split.lower(), split.upper()).stream())
        .flatMap(
            half ->
                half.members().stream()
                    .filter(this::isDead)
                    .flatMap(member -> join(half.id(), half.members(), member).stream()))
        .findFirst();
  }

  private Optional<MetadataChange.Operation> replaceMember(Partition partition) {
    return partition.members().stream()
        .filter(this::isDead)
        .filter(member -> !isReplaced(partition, member))
        .flatMap(member -> join(partition.id(), assignments(partition), member).stream())
        .findFirst();
  }

  private static boolean isReplaced(Partition partition, Assignment member) {
    return partition.joining().stream()
        .anyMatch(each -> each.replaces().equals(Optional.of(member.id())));
  }

  private Optional<MetadataChange.Operation> add(Partition partition, int replicas) {
    long copies =
        partition.members().size()
            + partition.joining().stream().filter(each -> each.replaces().isEmpty()).count();
    return copies >= replicas || partition.split().isPresent()
        ? Optional.empty()
        : candidate(assignments(partition), Optional.empty())
            .map(
                server ->
                    new MetadataChange.Join(partition.id(), assign(server), Optional.empty()));
  }

  private static List<Assignment> assignments(Partition partition) {
    List<Assignment> own = new ArrayList<>(partition.members());
    partition.joining().forEach(each -> own.add(each.assignment()));
    return own;
  }

  private Optional<MetadataChange.Operation> join(
      String id, List<Assignment> there, Assignment member) {
    return candidate(there, Optional.of(member))
        .map(server -> new MetadataChange.Join(id, assign(server), Optional.of(member.id())));
  }

  /** Who is to have it: rather on a rack that none of those has who stay. */
  private Optional<LiveServer> candidate(List<Assignment> there, Optional<Assignment> leaving) {
    Set<String> taken = new HashSet<>();
    there.forEach(each -> taken.add(each.server()));
    Set<String> staying = new HashSet<>(taken);
    leaving.ifPresent(each -> staying.remove(each.server()));
    return placement.order(live, taken, staying).stream().findFirst();
  }

  private Assignment assign(LiveServer server) {
    return new Assignment(server.id(), RandomNames.next(random));
  }

  private boolean isLive(Assignment assignment) {
    return live.stream().anyMatch(each -> each.id().equals(assignment.server()));
  }

  private boolean isDead(Assignment assignment) {
    return dead.contains(assignment.server());
  }
}
