package io.stele.replicas.push;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.RowRange;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What METADATA wants of a replica: its part, and whom it must send what it has.
 *
 * <pre>
 *   its partition is                     targets
 *   there                                other members, those that join; while it is split: the halves' members, too
 *   a half of one that is being split    the other members of the half
 *   gone                                 all that have one of its rows now, as if it were theirs
 * </pre>
 *
 * A replica that is not assigned (any more) has the same targets as one that is, and is {@link
 * Role#LEAVING}: when all of them have everything, it may go.
 */
public record Duty(Role role, List<Target> targets) {
  /** A replica's part in its partition. */
  public enum Role {
    SERVING("serving"),
    JOINING("joining"),
    LOWER_HALF("lower half"),
    UPPER_HALF("upper half"),
    LEAVING("leaving");

    private final String text;

    Role(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /**
   * Who should have it.
   *
   * @param partition of the target
   * @param rows which the target has of those that the replica has
   */
  public record Target(String partition, Assignment assignment, RowRange rows) {}

  public Duty {
    targets = List.copyOf(targets);
  }

  public static Duty of(Metadata metadata, Replica replica) {
    String own = replica.assignment().id();
    for (Partition partition : metadata.partitions()) {
      if (partition.id().equals(replica.partition())) {
        return new Duty(roleIn(partition, own), targets(partition, replica));
      }
      if (partition.split().isPresent()) {
        Partition.Split split = partition.split().get();
        if (split.lower().id().equals(replica.partition())) {
          return half(split.lower(), replica, Role.LOWER_HALF);
        }
        if (split.upper().id().equals(replica.partition())) {
          return half(split.upper(), replica, Role.UPPER_HALF);
        }
      }
    }
    List<Target> targets = new ArrayList<>();
    for (Partition partition : metadata.partitions()) {
      targets.addAll(targets(partition, replica));
    }
    return new Duty(Role.LEAVING, targets);
  }

  private static Role roleIn(Partition partition, String own) {
    if (partition.members().stream().anyMatch(each -> each.id().equals(own))) {
      return Role.SERVING;
    }
    return partition.joining().stream().anyMatch(each -> each.assignment().id().equals(own))
        ? Role.JOINING
        : Role.LEAVING;
  }

  private static Duty half(Partition.Half half, Replica replica, Role role) {
    List<Target> targets = new ArrayList<>();
    add(targets, half.id(), half.members(), replica.rows(), replica);
    boolean assigned =
        half.members().stream().anyMatch(each -> each.id().equals(replica.assignment().id()));
    return new Duty(assigned ? role : Role.LEAVING, targets);
  }

  private static List<Target> targets(Partition partition, Replica replica) {
    List<Target> targets = new ArrayList<>();
    RowRange rows = partition.rows();
    add(targets, partition.id(), partition.members(), rows, replica);
    add(
        targets,
        partition.id(),
        partition.joining().stream().map(Partition.Joining::assignment).toList(),
        rows,
        replica);
    if (partition.split().isPresent()) {
      Partition.Split split = partition.split().get();
      Bytes behind = split.at().successor();
      add(
          targets,
          split.lower().id(),
          split.lower().members(),
          new RowRange(rows.from(), behind),
          replica);
      add(
          targets,
          split.upper().id(),
          split.upper().members(),
          new RowRange(behind, rows.to()),
          replica);
    }
    return targets;
  }

  private static void add(
      List<Target> targets,
      String partition,
      List<Assignment> assignments,
      RowRange rows,
      Replica replica) {
    Optional<RowRange> common = rows.intersect(replica.rows());
    if (common.isEmpty()) {
      return;
    }
    for (Assignment assignment : assignments) {
      if (!assignment.id().equals(replica.assignment().id())) {
        targets.add(new Target(partition, assignment, common.get()));
      }
    }
  }
}
