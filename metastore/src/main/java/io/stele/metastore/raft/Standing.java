package io.stele.metastore.raft;

import java.util.List;
import java.util.Optional;

/**
 * How a member stands in its group, at one moment.
 *
 * @param ready leads, and has applied all that earlier leaders had committed
 * @param term the newest it knows of
 * @param leader as far as it knows
 * @param members those that vote, itself included unless it has left
 * @param applied the newest entry in its state
 * @param committed the newest entry that a majority is known to have. Invariant: applied <=
 *     committed
 */
public record Standing(
    Member self,
    Role role,
    boolean ready,
    long term,
    Optional<Member> leader,
    List<Member> members,
    long applied,
    long committed) {
  /** What a member does for its group. */
  public enum Role {
    LEADER,
    FOLLOWER,
    CANDIDATE,
    /** Catches up before it may vote, or has left. */
    OBSERVER
  }

  public Standing {
    members = List.copyOf(members);
  }
}
