package io.stele.server;

import io.stele.base.error.ConflictException;
import io.stele.gateway.nativeapi.MemberAdmin;
import io.stele.metastore.command.Applied;
import io.stele.metastore.raft.GroupChanges;
import io.stele.metastore.raft.GroupMember;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerIdentity;
import io.stele.metastore.raft.Replica;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;

/** What the gateway lets operators and other servers ask of this server's part in its group. */
final class GroupAdmin implements MemberAdmin {

  private final GroupMember<Applied> member;
  private final GroupChanges<Applied> changes;
  private final Replica<Applied> replica;

  /** Held while a backup takes the place of the state, which happens to a server but once. */
  private final ReentrantLock restoring = new ReentrantLock();

  GroupAdmin(GroupMember<Applied> member, Replica<Applied> replica) {
    this.member = member;
    this.changes = new GroupChanges<>(member);
    this.replica = replica;
  }

  @Override
  public List<Member> bootstrap(List<String> serviceAddresses) {
    changes.bootstrap(serviceAddresses);
    // The group exists; that it has no leader yet is no reason to answer without its members.
    List<Member> elected = member.standing().members();
    return elected.isEmpty() ? List.of(member.self()) : elected;
  }

  @Override
  public List<Member> add(String serviceAddress) {
    changes.add(serviceAddress);
    return member.standing().members();
  }

  @Override
  public List<Member> remove(String memberId) {
    changes.remove(memberId);
    return member.standing().members();
  }

  @Override
  public List<Member> replace(String memberId, String serviceAddress) {
    changes.replace(memberId, serviceAddress);
    return member.standing().members();
  }

  @Override
  public List<Member> transferLead(String memberId) {
    try {
      member.transferLead(memberId).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException problem ? problem : e;
    }
    return member.standing().members();
  }

  /** A backup that is damaged leaves the server as it was: without state, and free for another. */
  @Override
  public List<Member> restore(InputStream backup) throws IOException {
    if (!restoring.tryLock()) {
      throw new ConflictException("server is being restored already");
    }
    try {
      member
          .identity()
          .group()
          .ifPresent(
              group -> {
                throw new ConflictException(
                    "server belongs to the group "
                        + group
                        + " already: restore to one that was started with --wait on an empty"
                        + " directory");
              });
      replica.installCheckpoint(backup);
      changes.bootstrap(List.of(member.self().serviceAddress()));
      return member.standing().members();
    } finally {
      restoring.unlock();
    }
  }

  @Override
  public PeerIdentity identify() {
    return member.identity();
  }

  @Override
  public long currentTerm(String memberId) {
    return member.currentTerm(memberId);
  }

  @Override
  public void writeCheckpoint(OutputStream out) throws IOException {
    replica.writeCheckpoint(out);
  }

  @Override
  public boolean reserve(String group) {
    return member.reserve(group);
  }

  @Override
  public void unreserve(String group) {
    member.release(group);
  }

  @Override
  public void form(String group, String memberId, List<Member> members) {
    member.form(group, memberId, members);
  }
}
