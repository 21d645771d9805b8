package io.stele.metastore.command;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.key.KeyRange;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A change of the metastore's state, as the log holds it: the same on every member, whatever the
 * time, so deadlines are commands of the leader that found them passed.
 */
public sealed interface Command {
  /**
   * True if it ends a session or a lease. These share entries of the log with other commands; one
   * that has too much to delete is refused there, and has to come again as the last of its entry.
   */
  default boolean isEnd() {
    return this instanceof CloseSession
        || this instanceof ExpireSession
        || this instanceof RevokeLease
        || this instanceof ExpireLease;
  }

  /** The {@link ClusterVersion} from which on members can apply it. */
  default int since() {
    return switch (this) {
      case SetVersion _, TakeFingerprint _, EndGrant _ -> 2;
      case ExpireSession c -> c.term() == 0 ? 1 : 2;
      case ExpireLease c -> c.term() == 0 ? 1 : 2;
      default -> 1;
    };
  }

  /**
   * Its place in the log becomes the session's id.
   *
   * @param requestId made by the client, so that a repeated request opens no second session
   */
  record OpenSession(String principal, Duration timeToLive, String label, Bytes requestId)
      implements Command {}

  /** By its owner: locks are free at once. */
  record CloseSession(String principal, long session) implements Command {}

  /**
   * By the leader, as nothing was heard of it: locks are free after their delay.
   *
   * @param term in which that was found out; in another one it does not count, as the session may
   *     have been renewed since; 0 in logs of before it was said
   */
  record ExpireSession(long session, long term) implements Command {
    public ExpireSession(long session) {
      this(session, 0);
    }
  }

  record Transact(Origin origin, Transaction transaction) implements Command {
    /** {@link Transaction#deletedRange}, if no answer has to be kept for a session. */
    public Optional<KeyRange> deletedRange() {
      return origin.session() == 0 ? transaction.deletedRange() : Optional.empty();
    }
  }

  /**
   * Asks for a lock.
   *
   * @param patience how long to queue for it; zero to be refused at once. The leader ends the wait.
   * @param delay how long the lock stays closed if the session expires
   */
  record Acquire(Origin origin, Bytes key, boolean exclusive, Duration patience, Duration delay)
      implements Command {}

  record Release(Origin origin, Bytes key) implements Command {}

  /** By the leader: a request's time in the queue is over, or its caller is gone. */
  record EndWait(Bytes key, long session, long sequence) implements Command {}

  /**
   * By the leader: a request was granted a lock when its caller was gone already, so the lock is
   * nobody's.
   *
   * @param token of the grant
   */
  record EndGrant(Bytes key, long session, long sequence, long token) implements Command {}

  /** By the leader: a lock's delay is over. */
  record EndDelay(Bytes key, long token) implements Command {}

  /** From now on the state before this revision cannot be read. */
  record Compact(Origin origin, long revision) implements Command {}

  /** By the leader: drops a part of the history that cannot be read any more. */
  record Reclaim(int revisions) implements Command {}

  /**
   * A lease begins: keys may be made to end with it.
   *
   * @param id chosen by the caller; not 0
   */
  record GrantLease(long id, Duration timeToLive) implements Command {}

  /** By a caller: the lease ends with its keys. */
  record RevokeLease(String principal, long id) implements Command {}

  /**
   * By the leader, as nobody renewed it.
   *
   * @param term as that of {@link ExpireSession}
   */
  record ExpireLease(long id, long term) implements Command {
    public ExpireLease(long id) {
      this(id, 0);
    }
  }

  /** No entries: the directory has no rules of its own any more. */
  record SetAcl(Origin origin, Bytes directory, List<AclEntry> entries) implements Command {
    public SetAcl {
      entries = List.copyOf(entries);
    }
  }

  /** By the leader: every member can apply this version, and these limits hold from now on. */
  record SetVersion(ClusterState agreed) implements Command {}

  /** By the leader: each member takes a fingerprint of its state behind this entry. */
  record TakeFingerprint() implements Command {}
}
