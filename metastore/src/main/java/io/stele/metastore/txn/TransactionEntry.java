package io.stele.metastore.txn;

import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Origin;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An open transaction, in the memory of the leader that began it. Owned by {@link
 * TransactionTable}, and changed under its lock.
 */
final class TransactionEntry {
  private final String id;
  private final long term;
  private final long revision;
  private final String principal;
  private final long session;
  private final long deadline;
  private final List<KeyRange> reads = new ArrayList<>();
  private List<KeyRange> writes = List.of();
  private @Nullable Origin committer;
  private @Nullable CompletableFuture<Answer.Transacted> commit;
  // Completed, always normally, when the transaction's locks are free: others may go on.
  private CompletableFuture<Void> released = new CompletableFuture<>();

  TransactionEntry(
      String id, long term, long revision, String principal, long session, long deadline) {
    this.id = id;
    this.term = term;
    this.revision = revision;
    this.principal = principal;
    this.session = session;
    this.deadline = deadline;
  }

  String id() {
    return id;
  }

  long term() {
    return term;
  }

  /** At which it reads. */
  long revision() {
    return revision;
  }

  String principal() {
    return principal;
  }

  long session() {
    return session;
  }

  /** By the monotonic clock. */
  long deadline() {
    return deadline;
  }

  /** The ranges it has read; each is held once. */
  List<KeyRange> reads() {
    return reads;
  }

  /** The ranges it is about to write; each is held once more, and locked for writing. */
  List<KeyRange> writes() {
    return writes;
  }

  boolean hasRead(KeyRange range) {
    return reads.stream().anyMatch(read -> contains(read, range));
  }

  boolean committing() {
    return commit != null;
  }

  @Nullable CompletableFuture<Answer.Transacted> commit() {
    return commit;
  }

  boolean committedBy(Origin origin) {
    return committer != null
        && committer.session() == origin.session()
        && committer.sequence() == origin.sequence();
  }

  void startCommit(Origin origin, List<KeyRange> ranges) {
    committer = origin;
    commit = new CompletableFuture<>();
    writes = ranges;
  }

  /** The commit was not even proposed: the transaction is as it was before. */
  void withdrawCommit() {
    committer = null;
    commit = null;
    writes = List.of();
  }

  CompletableFuture<Void> released() {
    return released;
  }

  /** Answers what is to be completed, once no lock is held, for those who wait. */
  CompletableFuture<Void> release() {
    CompletableFuture<Void> waiters = released;
    released = new CompletableFuture<>();
    return waiters;
  }

  private static boolean contains(KeyRange outer, KeyRange inner) {
    return outer.from().compareTo(inner.from()) <= 0
        && (outer.to() == null || (inner.to() != null && inner.to().compareTo(outer.to()) <= 0));
  }
}
