package io.stele.metastore;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.watch.Watch;
import io.stele.metastore.watch.WatchRequest;
import io.stele.metastore.watch.WatchSink;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What one member does for those who ask it. Gateways put protocols in front of it.
 *
 * <p>Futures fail with a {@code SteleException}: {@code NotServing} with the leader's address where
 * only the leader can do it, so that whoever holds the connection can forward. Nothing here blocks
 * for long, apart from {@link #backup}.
 */
public interface Metastore {
  // ---- sessions

  CompletableFuture<Answer.SessionOpened> openSession(
      String principal, Duration timeToLive, String label, Bytes requestId);

  /** Answers the time to live that the session has again; fails with {@code NotFound}. */
  CompletableFuture<Duration> keepAlive(String principal, long session);

  CompletableFuture<Void> closeSession(String principal, long session);

  // ---- keys

  CompletableFuture<RangeAnswer> read(String principal, RangeRead read, Consistency consistency);

  /** Keys in an order and within bounds, with the number of all in the range. */
  CompletableFuture<RangeAnswer> select(
      String principal, Selection selection, Consistency consistency);

  /**
   * The names in a directory, in order.
   *
   * @param after the last name that the caller has; empty at first
   */
  CompletableFuture<List<DirectoryEntry>> list(
      String principal, Bytes directory, String after, int limit, Consistency consistency);

  /** Fails with {@code Conflict} if reads of an interactive transaction no longer hold. */
  CompletableFuture<Answer.Transacted> transact(Origin origin, Transaction transaction);

  // ---- leases, with which opaque keys end

  /** Fails with {@code Conflict} if a lease of this id lives. */
  CompletableFuture<Answer.LeaseGranted> grantLease(long id, Duration timeToLive);

  /** Ends a lease and its keys; fails with {@code NotFound}. */
  CompletableFuture<Void> revokeLease(String principal, long id);

  /** Gives a lease its full time again, and answers it; fails with {@code NotFound}. */
  CompletableFuture<Duration> renewLease(long id);

  /** How a lease is; fails with {@code NotFound}. */
  CompletableFuture<LeaseState> leaseState(String principal, long id);

  /** The ids of all leases, in no order. */
  CompletableFuture<List<Long>> leases();

  // ---- interactive transactions

  CompletableFuture<TransactionStart> begin(String principal, long session);

  /**
   * A read under a range lock at the transaction's revision; aborts it if the range has changed.
   */
  CompletableFuture<RangeAnswer> readIn(String principal, String transaction, RangeRead read);

  CompletableFuture<Answer.Transacted> commit(
      Origin origin, String transaction, List<Comparison> guards, List<Operation> writes);

  CompletableFuture<Void> abort(String principal, String transaction);

  // ---- locks

  /**
   * Completes with the fencing token, when granted; fails with {@code Conflict} at the deadline.
   */
  CompletableFuture<Long> acquire(
      Origin origin, Bytes key, boolean exclusive, Duration patience, Duration delay);

  CompletableFuture<Void> release(Origin origin, Bytes key);

  CompletableFuture<LockState> lockState(String principal, Bytes key);

  // ---- history

  Watch watch(String principal, WatchRequest request, WatchSink sink);

  /** Forgets what was before a revision. */
  CompletableFuture<Void> compact(Origin origin, long revision);

  // ---- rights

  CompletableFuture<Void> setAcl(Origin origin, Bytes directory, List<AclEntry> entries);

  /** The rules that count for a key or directory: those of the nearest directory that has any. */
  CompletableFuture<List<AclEntry>> acl(String principal, Bytes path);

  // ---- upkeep

  MetastoreStatus status();

  /** The newest revision that this member knows of. */
  long revision();

  /** Writes the whole state at one moment. Blocks. */
  void backup(OutputStream out) throws IOException;
}
