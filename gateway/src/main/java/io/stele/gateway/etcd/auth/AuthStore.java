package io.stele.gateway.etcd.auth;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.Consistency;
import io.stele.metastore.Metastore;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Comparison.Field;
import io.stele.metastore.command.Comparison.Relation;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.PathKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/**
 * Where users and roles are kept: in one key among the paths, which etcd's clients do not reach.
 * Each request has it read again, as this member has it, before it looks at what is known. Reading
 * may need the disk, so nobody waits for it on a thread of the network. What was decoded last is
 * kept as long as the key stays the same.
 */
public final class AuthStore {
  private static final Bytes KEY = PathKey.of("/stele/etcd/auth");

  /** On whose behalf; where rights are set for / or /stele, this one must have them. */
  private static final String PRINCIPAL = "stele";

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /**
   * The key as of a revision.
   *
   * @param modified 0 if it is absent
   */
  private record Decoded(long revision, long modified, AuthState state) {}

  private final AtomicReference<Decoded> last =
      new AtomicReference<>(new Decoded(0, 0, AuthState.NONE));

  /** As of the newest read that is done. */
  AuthState known() {
    return last.get().state();
  }

  /** Reads what this member has; done at once unless that needs the disk. */
  CompletableFuture<Void> refresh(Metastore metastore) {
    CompletableFuture<Decoded> read = read(metastore, Consistency.STALE);
    return read.isDone() && !read.isCompletedExceptionally() ? DONE : read.thenAccept(_ -> {});
  }

  private CompletableFuture<Decoded> read(Metastore metastore, Consistency consistency) {
    return metastore
        .read(PRINCIPAL, RangeRead.of(KeyRange.of(KEY)), consistency)
        .thenApply(answer -> decode(answer.revision(), answer.keys().stream().findFirst()));
  }

  /** A read that took longer than another does not take back what the other has found. */
  private Decoded decode(long revision, Optional<KeyValue> stored) {
    Decoded before = last.get();
    long modified = stored.map(KeyValue::modified).orElse(0L);
    if (before.modified() == modified) {
      return before;
    }
    Decoded found =
        new Decoded(
            revision,
            modified,
            stored.map(kv -> AuthState.decode(kv.value())).orElse(AuthState.NONE));
    var _ = last.accumulateAndGet(found, (a, b) -> a.revision() > b.revision() ? a : b);
    return found;
  }

  /**
   * Changes the state, and answers it; tries again if somebody else did meanwhile.
   *
   * @param change throws where it makes no sense
   */
  CompletableFuture<AuthState> change(Metastore metastore, UnaryOperator<AuthState> change) {
    return read(metastore, Consistency.LINEARIZABLE)
        .thenCompose(
            before -> {
              AuthState after = change.apply(before.state());
              return metastore
                  .transact(Origin.of(PRINCIPAL), write(before.modified(), after.encode()))
                  .thenCompose(answer -> done(metastore, change, answer, after));
            });
  }

  private CompletableFuture<AuthState> done(
      Metastore metastore,
      UnaryOperator<AuthState> change,
      Answer.Transacted answer,
      AuthState after) {
    return answer.succeeded()
        ? CompletableFuture.completedFuture(after)
        : change(metastore, change);
  }

  private static Transaction write(long modified, Bytes value) {
    return new Transaction(
        List.of(
            new Comparison.Property(KeyRange.of(KEY), Field.MODIFIED, Relation.EQUAL, modified)),
        List.of(new Operation.Put(KEY, value, 0, false)),
        List.of(),
        Optional.empty());
  }
}
