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
import java.util.function.UnaryOperator;

/**
 * Where users and roles are kept: in one key among the paths, which etcd's clients do not reach. It
 * is read anew for each request, as this member has it; what was decoded last is kept as long as
 * the key stays the same.
 */
public final class AuthStore {
  private static final Bytes KEY = PathKey.of("/stele/etcd/auth");

  /** On whose behalf; where rights are set for / or /stele, this one must have them. */
  private static final String PRINCIPAL = "stele";

  private record Decoded(long modified, AuthState state) {}

  private volatile Decoded last = new Decoded(0, AuthState.NONE);

  /** As this member knows it. */
  AuthState current(Metastore metastore) {
    return decode(read(metastore, Consistency.STALE).join()).state();
  }

  private static CompletableFuture<Optional<KeyValue>> read(
      Metastore metastore, Consistency consistency) {
    return metastore
        .read(PRINCIPAL, RangeRead.of(KeyRange.of(KEY)), consistency)
        .thenApply(answer -> answer.keys().stream().findFirst());
  }

  private Decoded decode(Optional<KeyValue> stored) {
    if (stored.isEmpty()) {
      return new Decoded(0, AuthState.NONE);
    }
    Decoded known = last;
    long modified = stored.get().modified();
    if (known.modified() != modified) {
      known = new Decoded(modified, AuthState.decode(stored.get().value()));
      last = known;
    }
    return known;
  }

  /**
   * Changes the state, and answers it; tries again if somebody else did meanwhile.
   *
   * @param change throws where it makes no sense
   */
  CompletableFuture<AuthState> change(Metastore metastore, UnaryOperator<AuthState> change) {
    return read(metastore, Consistency.LINEARIZABLE)
        .thenCompose(
            stored -> {
              Decoded before = decode(stored);
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
