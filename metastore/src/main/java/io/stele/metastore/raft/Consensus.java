package io.stele.metastore.raft;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One replicated log with a {@link Replica} on each member: all that the metastore asks of it.
 *
 * @param <A> the answers of the replica
 */
public interface Consensus<A> extends AutoCloseable {
  /**
   * Appends an entry to the log and answers what the replica <em>of this member</em> said when it
   * applied it, after a majority has it on disk.
   *
   * <p>Fails with {@link NotServingException} if it was certainly not appended (this member does
   * not lead, or is not ready), and with {@link OutcomeUnknownException} if it may yet be applied.
   */
  CompletableFuture<A> propose(Bytes entry);

  /**
   * Completes once this member is known to have led, in a term that a majority confirmed, at some
   * moment <em>after</em> this call: what its replica shows from then on includes everything that
   * was acknowledged before the call. Calls that wait share one round.
   *
   * <p>Fails with {@link NotServingException}, naming the leader if known.
   */
  CompletableFuture<Void> readBarrier();

  /**
   * Makes these the members: whoever is new catches up first. One change at a time; only the leader
   * does it.
   */
  CompletableFuture<Void> changeMembers(List<Member> members);

  /** Hands the lead to another member. */
  CompletableFuture<Void> transferLead(String memberId);

  /** Flushes the replica and drops the log that is no longer needed. */
  Position checkpoint();

  Standing standing();

  /** What the log takes up on disk. */
  long bytes();

  @Override
  void close();
}
