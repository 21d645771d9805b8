package io.stele.replicas.metadata;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.RowRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A contiguous range of rows and the servers that have it.
 *
 * <p>Invariant: no server has two assignments in it, and no two assignments have one id, those of a
 * split's halves included; a server may be in the partition and in its halves.
 *
 * @param id unique for ever
 * @param first the row before its first; empty for the first partition
 * @param last its last row; none for the last partition
 * @param members serve reads and writes, and count for majorities
 * @param joining are sent everything, and become members once they have it
 * @param split while it is being split
 */
public record Partition(
    String id,
    Bytes first,
    Optional<Bytes> last,
    List<Assignment> members,
    List<Joining> joining,
    Optional<Split> split) {

  /**
   * A server that is to become a member.
   *
   * @param replaces the member whose place it takes; none if it comes in addition
   */
  public record Joining(Assignment assignment, Optional<String> replaces) {}

  /**
   * A split that is under way.
   *
   * @param at the last row of the lower half
   */
  public record Split(Bytes at, Half lower, Half upper) {
    /** The half of this id. */
    public Optional<Half> half(String id) {
      return lower.id.equals(id)
          ? Optional.of(lower)
          : upper.id.equals(id) ? Optional.of(upper) : Optional.empty();
    }

    Split withHalf(Half half) {
      return lower.id.equals(half.id) ? new Split(at, half, upper) : new Split(at, lower, half);
    }
  }

  /** What becomes a partition of its own when the split is finalized. */
  public record Half(String id, List<Assignment> members) {
    public Half {
      members = List.copyOf(members);
      if (members.isEmpty()) {
        throw new InvalidRequestException("half " + id + " has no member: must have one");
      }
      checkServers("half " + id, members);
    }
  }

  public Partition {
    members = List.copyOf(members);
    joining = List.copyOf(joining);
    if (members.isEmpty()) {
      throw new InvalidRequestException("partition " + id + " has no member: must have one");
    }
    if (last.isPresent() && last.get().compareTo(first) <= 0) {
      throw new InvalidRequestException(
          "partition " + id + " from behind " + first + " to " + last.get() + " has no rows");
    }
    List<Assignment> own = new ArrayList<>(members);
    joining.forEach(each -> own.add(each.assignment()));
    checkServers("partition " + id, own);
    if (split.isPresent()) {
      Bytes at = split.get().at();
      boolean inside = at.compareTo(first) > 0 && (last.isEmpty() || at.compareTo(last.get()) < 0);
      if (!inside) {
        throw new InvalidRequestException(
            "partition " + id + " split at " + at + ": must leave rows on both sides");
      }
    }
  }

  private static void checkServers(String what, List<Assignment> assignments) {
    Set<String> servers = new HashSet<>();
    for (Assignment assignment : assignments) {
      if (!servers.add(assignment.server())) {
        throw new InvalidRequestException(what + " has server " + assignment.server() + " twice");
      }
    }
  }

  /** All that have to do with it: members, those that join, and those of the halves. */
  public List<Assignment> assignments() {
    List<Assignment> all = new ArrayList<>(members);
    joining.forEach(each -> all.add(each.assignment()));
    split.ifPresent(
        each -> {
          all.addAll(each.lower().members());
          all.addAll(each.upper().members());
        });
    return all;
  }

  /**
   * The sets of assignments of each of which a majority is needed, by writes and by reads: the
   * members, and for each server that joins the members that there will be when it has joined. From
   * one moment to the next those may be the members, and must then have what was acknowledged
   * before.
   */
  public List<List<Assignment>> quorums() {
    if (joining.isEmpty()) {
      return List.of(members);
    }
    List<List<Assignment>> sets = new ArrayList<>();
    sets.add(members);
    joining.forEach(each -> sets.add(membersWith(each)));
    return sets;
  }

  /** All that count for one of the quorums: members and those that join. */
  public List<Assignment> assignmentsThatCount() {
    List<Assignment> all = new ArrayList<>(members);
    joining.forEach(each -> all.add(each.assignment()));
    return all;
  }

  /** The members once a server has joined. */
  List<Assignment> membersWith(Joining joined) {
    return inPlaceOf(members, joined.replaces(), joined.assignment());
  }

  static List<Assignment> inPlaceOf(
      List<Assignment> members, Optional<String> replaced, Assignment assignment) {
    List<Assignment> changed = new ArrayList<>();
    boolean placed = false;
    for (Assignment member : members) {
      boolean here = replaced.isPresent() && replaced.get().equals(member.id());
      changed.add(here ? assignment : member);
      placed |= here;
    }
    if (!placed) {
      changed.add(assignment);
    }
    return changed;
  }

  Partition withMembers(List<Assignment> value, List<Joining> join) {
    return new Partition(id, first, last, value, join, split);
  }

  Partition withSplit(Split value) {
    return new Partition(id, first, last, members, joining, Optional.of(value));
  }

  public boolean holds(Bytes row) {
    return (first.isEmpty() || first.compareTo(row) < 0)
        && (last.isEmpty() || last.get().compareTo(row) >= 0);
  }

  public RowRange rows() {
    return new RowRange(
        first.isEmpty() ? Bytes.EMPTY : first.successor(), last.map(Bytes::successor).orElse(null));
  }
}
