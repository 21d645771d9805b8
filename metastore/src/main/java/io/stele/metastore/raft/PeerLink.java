package io.stele.metastore.raft;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What members ask each other beside replicating the log. Filled by the server from its network,
 * and by tests.
 */
public interface PeerLink {
  /** The newest term another member knows, read after this call. */
  CompletableFuture<Long> currentTerm(Member peer);

  /** The state of another member, as {@link Replica#writeCheckpoint} writes it. */
  InputStream checkpoint(Member peer) throws IOException;

  /** Asks a server that belongs to no group to reserve itself for one: see the bootstrap. */
  CompletableFuture<Boolean> reserve(String serviceAddress, String group);

  /** Gives up a reservation. */
  CompletableFuture<Void> release(String serviceAddress, String group);

  /**
   * Has a server begin to take part in a group, as one of its first members, or with no members if
   * it is to be added later and to catch up first.
   */
  CompletableFuture<Void> form(
      String serviceAddress, String group, String memberId, List<Member> members);

  /** Asks a server who it is: its id and addresses, and the group it belongs to, if any. */
  CompletableFuture<PeerIdentity> identify(String serviceAddress);

  /** The fingerprint of another member's state behind an entry; see {@link Replica#fingerprint}. */
  CompletableFuture<Optional<String>> fingerprint(Member peer, long index);
}
