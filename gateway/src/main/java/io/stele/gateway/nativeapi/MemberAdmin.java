package io.stele.gateway.nativeapi;

import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Who belongs to the group: what operators change, and what other servers ask for while they do.
 * Filled by the server from the metastore's membership. Calls may block; they fail with a {@code
 * SteleException}, {@code NotServing} with the leader's address where only the leader can do it.
 */
public interface MemberAdmin {
  // ---- for operators; each answers the members afterwards

  /** Forms a group of these servers, this one included. */
  List<Member> bootstrap(List<String> serviceAddresses);

  List<Member> add(String serviceAddress);

  List<Member> remove(String memberId);

  List<Member> replace(String memberId, String serviceAddress);

  List<Member> transferLead(String memberId);

  /** Becomes the only member of a new group, with the state of a backup. */
  List<Member> restore(InputStream backup) throws IOException;

  // ---- for other servers

  PeerIdentity identify();

  /** Asks another member who it is. */
  CompletableFuture<PeerIdentity> identify(Member member);

  /** The newest term this member knows of, if it is the one that is meant. */
  long currentTerm(String memberId);

  void writeCheckpoint(OutputStream out) throws IOException;

  /** Of the state behind a log entry, if that was digested last. */
  Optional<String> fingerprint(long index);

  boolean reserve(String group);

  void unreserve(String group);

  void form(String group, String memberId, List<Member> members);
}
