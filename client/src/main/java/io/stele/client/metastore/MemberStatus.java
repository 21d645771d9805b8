package io.stele.client.metastore;

import java.util.List;
import java.util.Optional;

/**
 * How a member is.
 *
 * @param group that it belongs to; empty if to none
 * @param role LEADER, FOLLOWER, CANDIDATE, OBSERVER, or UNFORMED if it belongs to no group
 * @param ready leads, and has applied all that earlier leaders had committed
 * @param applied the newest log entry in its state
 * @param revision of the newest change here
 * @param compacted the oldest revision that can be read
 */
public record MemberStatus(
    String group,
    Member self,
    String role,
    boolean ready,
    long term,
    Optional<Member> leader,
    List<Member> members,
    long applied,
    long revision,
    long compacted,
    long sessions,
    long locks,
    long watches,
    long transactions,
    long diskBytes) {
  public MemberStatus {
    members = List.copyOf(members);
  }
}
