package io.stele.replicas.metadata;

import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What becomes of metadata by a change: a function of the two alone, so that it does not matter
 * which server computes it.
 *
 * <p>A change that does not fit what is there (any more) is a conflict, so that who asked reads
 * again and finds perhaps that it is done; one that never fits is an invalid request.
 */
final class ChangedMetadata {
  private final Metadata base;

  private ChangedMetadata(Metadata base) {
    this.base = base;
  }

  static Metadata of(Metadata base, MetadataChange change) {
    if (!base.txn().equals(change.base())) {
      throw new ConflictException(
          "METADATA of table "
              + base.table()
              + " is that of transaction "
              + base.txn()
              + ": the change is based on "
              + change.base());
    }
    ChangedMetadata changed = new ChangedMetadata(base);
    List<Partition> partitions =
        switch (change.operation()) {
          case MetadataChange.BeginSplit(var id, var split) ->
              changed.replace(id, partition -> changed.beginSplit(partition, split));
          case MetadataChange.FinalizeSplit(var id, var lower, var upper) ->
              changed.finalizeSplit(id, lower, upper);
          case MetadataChange.Join join -> changed.join(join);
          case MetadataChange.FinalizeJoin(var id, var assignment) ->
              changed.replace(id, partition -> finalizeJoin(partition, assignment));
          case MetadataChange.Leave(var id, var assignments) ->
              changed.replace(id, partition -> leave(partition, Set.copyOf(assignments)));
        };
    return new Metadata(base.table(), change.txn(), base.sequence() + 1, partitions);
  }

  private Partition find(String id) {
    return base.partition(id)
        .orElseThrow(
            () ->
                new ConflictException(
                    "METADATA "
                        + base.txn()
                        + " of table "
                        + base.table()
                        + " has no partition "
                        + id));
  }

  private List<Partition> replace(String id, UnaryOperator<Partition> change) {
    Partition found = find(id);
    return base.partitions().stream()
        .map(each -> each.equals(found) ? change.apply(each) : each)
        .toList();
  }

  private Partition beginSplit(Partition partition, Partition.Split split) {
    if (partition.split().isPresent()) {
      throw new ConflictException(
          "partition " + partition.id() + " is being split at " + partition.split().get().at());
    }
    return partition.withSplit(split);
  }

  private List<Partition> finalizeSplit(String id, String lower, String upper) {
    Partition whole = find(id);
    Partition.Split split =
        whole
            .split()
            .filter(each -> each.lower().id().equals(lower) && each.upper().id().equals(upper))
            .orElseThrow(
                () ->
                    new ConflictException(
                        "partition " + id + " is not being split into " + lower + " and " + upper));
    List<Partition> partitions = new ArrayList<>(base.partitions());
    int at = partitions.indexOf(whole);
    partitions.set(
        at,
        new Partition(
            lower,
            whole.first(),
            Optional.of(split.at()),
            split.lower().members(),
            List.of(),
            Optional.empty()));
    partitions.add(
        at + 1,
        new Partition(
            upper, split.at(), whole.last(), split.upper().members(), List.of(), Optional.empty()));
    return partitions;
  }

  private List<Partition> join(MetadataChange.Join join) {
    for (Partition partition : base.partitions()) {
      Optional<Partition.Half> half =
          partition.split().flatMap(each -> each.half(join.partition()));
      if (half.isPresent()) {
        return replace(partition.id(), each -> joinHalf(each, half.get(), join));
      }
    }
    return replace(join.partition(), each -> join(each, join));
  }

  private static Partition join(Partition partition, MetadataChange.Join join) {
    join.replaces()
        .ifPresent(
            id -> {
              checkMember("partition " + partition.id(), partition.members(), id);
              if (partition.joining().stream()
                  .anyMatch(each -> each.replaces().equals(join.replaces()))) {
                throw new ConflictException(
                    "partition "
                        + partition.id()
                        + " has a server already that is to replace assignment "
                        + id);
              }
            });
    List<Partition.Joining> joining = new ArrayList<>(partition.joining());
    joining.add(new Partition.Joining(join.assignment(), join.replaces()));
    return partition.withMembers(partition.members(), joining);
  }

  private static Partition joinHalf(
      Partition partition, Partition.Half half, MetadataChange.Join join) {
    join.replaces().ifPresent(id -> checkMember("half " + half.id(), half.members(), id));
    List<Assignment> members =
        Partition.inPlaceOf(half.members(), join.replaces(), join.assignment());
    return partition.withSplit(
        partition.split().orElseThrow().withHalf(new Partition.Half(half.id(), members)));
  }

  private static void checkMember(String what, List<Assignment> members, String id) {
    if (members.stream().noneMatch(each -> each.id().equals(id))) {
      throw new ConflictException(what + " has no member " + id + " to be replaced");
    }
  }

  private static Partition finalizeJoin(Partition partition, String assignment) {
    Partition.Joining found =
        partition.joining().stream()
            .filter(each -> each.assignment().id().equals(assignment))
            .findFirst()
            .orElseThrow(
                () ->
                    new ConflictException(
                        "assignment " + assignment + " does not join partition " + partition.id()));
    List<Partition.Joining> joining = new ArrayList<>(partition.joining());
    joining.remove(found);
    return partition.withMembers(partition.membersWith(found), joining);
  }

  private static Partition leave(Partition partition, Set<String> leaving) {
    Set<String> known = new HashSet<>();
    partition.assignments().forEach(each -> known.add(each.id()));
    for (String id : leaving) {
      if (!known.contains(id)) {
        throw new ConflictException("partition " + partition.id() + " has no assignment " + id);
      }
    }
    List<Partition.Joining> joining =
        partition.joining().stream()
            .filter(each -> !leaving.contains(each.assignment().id()))
            // Who was to replace one that left comes in addition.
            .map(
                each ->
                    new Partition.Joining(
                        each.assignment(), each.replaces().filter(id -> !leaving.contains(id))))
            .toList();
    Partition left =
        partition.withMembers(
            without("partition " + partition.id(), partition.members(), leaving), joining);
    return left.split().isEmpty()
        ? left
        : left.withSplit(
            new Partition.Split(
                left.split().get().at(),
                without(left.split().get().lower(), leaving),
                without(left.split().get().upper(), leaving)));
  }

  private static Partition.Half without(Partition.Half half, Set<String> leaving) {
    return new Partition.Half(half.id(), without("half " + half.id(), half.members(), leaving));
  }

  private static List<Assignment> without(
      String what, List<Assignment> members, Set<String> leaving) {
    List<Assignment> left = members.stream().filter(each -> !leaving.contains(each.id())).toList();
    if (left.isEmpty()) {
      throw new InvalidRequestException(
          what + " cannot lose all its members " + members + ": one must be left");
    }
    return left;
  }
}
