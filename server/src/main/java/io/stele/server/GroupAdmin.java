package io.stele.server;

import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.gateway.nativeapi.MemberAdmin;
import io.stele.metastore.command.Applied;
import io.stele.metastore.raft.Discovery;
import io.stele.metastore.raft.GroupChanges;
import io.stele.metastore.raft.GroupMember;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerIdentity;
import io.stele.metastore.raft.PeerLink;
import io.stele.metastore.raft.Replica;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** What the gateway lets operators and other servers ask of this server's part in its group. */
final class GroupAdmin implements MemberAdmin, AutoCloseable {
  private static final Duration FORM_AGAIN = Duration.ofSeconds(2);

  private final GroupMember<Applied> member;
  private final GroupChanges<Applied> changes;
  private final Replica<Applied> replica;
  private final PeerLink link;
  private final Optional<String> clientUrl;
  private final Optional<Discovery> discovery;
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Held while a backup takes the place of the state, which happens to a server but once. */
  private final ReentrantLock restoring = new ReentrantLock();

  /**
   * For a server.
   *
   * @param clientUrl where etcd's clients reach it
   */
  GroupAdmin(
      GroupMember<Applied> member,
      Replica<Applied> replica,
      PeerLink link,
      Optional<String> clientUrl,
      Optional<Discovery> discovery) {
    this.member = member;
    this.link = link;
    this.clientUrl = clientUrl;
    this.changes = new GroupChanges<>(member);
    this.replica = replica;
    this.discovery = discovery;
  }

  /** Has all first members of a group that this server began take part, for as long as it takes. */
  void finishForming() {
    Thread.ofVirtual().name("stele-forming").start(this::formUntilComplete);
  }

  private void formUntilComplete() {
    try {
      while (changes.isForming() && closing.getCount() > 0) {
        try {
          changes.formOthers();
        } catch (SteleException e) {
          closing.await(FORM_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closing.countDown();
    discovery.ifPresent(Discovery::close);
  }

  /** Without addresses: this server and all that it finds. */
  @Override
  public List<Member> bootstrap(List<String> serviceAddresses) {
    List<PeerIdentity> found = discovery.map(Discovery::look).orElse(List.of());
    for (PeerIdentity peer : found) {
      if (peer.group().isPresent()) {
        throw new ConflictException(
            "server "
                + peer.member().serviceAddress()
                + ", which was found from here, belongs to the group "
                + peer.group().get()
                + " already: add servers to it instead");
      }
    }
    List<String> addresses = new ArrayList<>(serviceAddresses);
    if (addresses.isEmpty()) {
      addresses.add(member.self().serviceAddress());
      found.forEach(peer -> addresses.add(peer.member().serviceAddress()));
      if (found.isEmpty()) {
        throw new InvalidRequestException(
            "no addresses for a new group, and this server found no others by seeds or multicast:"
                + " name all its servers, or only this one, "
                + member.self().serviceAddress());
      }
    }
    changes.bootstrap(addresses);
    finishForming();
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
      replica.restore(backup);
      changes.bootstrap(List.of(member.self().serviceAddress()));
      return member.standing().members();
    } finally {
      restoring.unlock();
    }
  }

  @Override
  public PeerIdentity identify() {
    return member.identity().withClientUrl(clientUrl);
  }

  @Override
  public CompletableFuture<PeerIdentity> identify(Member other) {
    return link.identify(other.serviceAddress());
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
  public Optional<String> fingerprint(long index) {
    return replica.fingerprint(index);
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
