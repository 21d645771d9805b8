package io.stele.server;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.metastore.Consistency;
import io.stele.metastore.Metastore;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.tables.meta.RootStore;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Keeps the configuration of META0 in the metastore, under the key {@value #KEY}, and the id of the
 * cluster under {@value #CLUSTER}. The version of the configuration is the revision that modified
 * it.
 */
final class MetastoreRootStore implements RootStore {
  static final String KEY = "/stele/tables/root";
  static final String CLUSTER = "/stele/tables/cluster";

  /** On whose behalf; where rights are set for / or /stele, this one must have them. */
  static final String PRINCIPAL = "stele";

  private static final KeyRange RANGE = KeyRange.of(Bytes.utf8(KEY));
  private static final KeyRange IDENTITY = KeyRange.of(Bytes.utf8(CLUSTER));

  private final Metastore metastore;

  MetastoreRootStore(Metastore metastore) {
    this.metastore = metastore;
  }

  @Override
  public Optional<Root> load() {
    List<KeyValue> found =
        await(metastore.read(PRINCIPAL, RangeRead.of(RANGE), Consistency.LINEARIZABLE)).keys();
    return found.stream().findFirst().map(key -> new Root(key.value(), key.modified()));
  }

  @Override
  public long save(Bytes config, long expected) {
    Transaction transaction =
        new Transaction(
            List.of(
                new Comparison.Property(
                    RANGE, Comparison.Field.MODIFIED, Comparison.Relation.EQUAL, expected)),
            List.of(new Operation.Put(RANGE.from(), config, 0, false)),
            List.of(),
            Optional.empty());
    Answer.Transacted answer = await(metastore.transact(Origin.of(PRINCIPAL), transaction));
    if (!answer.succeeded()) {
      throw new ConflictException(
          "the configuration of META0 was changed by another than version "
              + expected
              + " says: "
              + load().map(root -> "it is version " + root.version()).orElse("there is none"));
    }
    return answer.revision();
  }

  @Override
  public Optional<UUID> identity() {
    return await(metastore.read(PRINCIPAL, RangeRead.of(IDENTITY), Consistency.LINEARIZABLE))
        .keys()
        .stream()
        .findFirst()
        .map(key -> UUID.fromString(key.value().toUtf8()));
  }

  @Override
  public UUID identify(UUID proposed) {
    Bytes id = Bytes.utf8(proposed.toString());
    Answer.Transacted _ =
        await(
            metastore.transact(
                Origin.of(PRINCIPAL),
                new Transaction(
                    List.of(
                        new Comparison.Property(
                            IDENTITY, Comparison.Field.MODIFIED, Comparison.Relation.EQUAL, 0)),
                    List.of(new Operation.Put(IDENTITY.from(), id, 0, false)),
                    List.of(),
                    Optional.empty())));
    return identity().orElse(proposed);
  }

  private static <T> T await(CompletableFuture<T> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof SteleException problem ? problem : e;
    }
  }
}
