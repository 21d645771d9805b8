package io.stele.server.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Step;
import io.stele.client.metastore.TransactionResult;
import io.stele.tables.meta.RootStore;
import java.util.Optional;
import java.util.UUID;

/**
 * Keeps the configuration of META0 and the id of the cluster in the metastore, wherever that is.
 * The version of the configuration is the revision that modified it.
 */
final class ClientRootStore implements RootStore {
  private final MetastoreClient metastore;

  ClientRootStore(MetastoreClient metastore) {
    this.metastore = metastore;
  }

  @Override
  public Optional<Root> load() {
    return metastore.get(ClusterKeys.ROOT).map(kept -> new Root(kept.value(), kept.modified()));
  }

  @Override
  public long save(Bytes config, long expected) {
    TransactionResult result =
        metastore
            .transaction()
            .when(ClusterKeys.ROOT)
            .modified()
            .isEqualTo(expected)
            .then(Step.put(ClusterKeys.ROOT, config))
            .commit();
    if (!result.succeeded()) {
      throw new ConflictException(
          "the configuration of META0 was changed by another than version "
              + expected
              + " says: "
              + load().map(root -> "it is version " + root.version()).orElse("there is none"));
    }
    return result.revision();
  }

  @Override
  public Optional<UUID> identity() {
    return metastore.get(ClusterKeys.CLUSTER).map(kept -> UUID.fromString(kept.value().toUtf8()));
  }

  @Override
  public UUID identify(UUID proposed) {
    TransactionResult _ =
        metastore
            .transaction()
            .when(ClusterKeys.CLUSTER)
            .modified()
            .isEqualTo(0)
            .then(Step.put(ClusterKeys.CLUSTER, Bytes.utf8(proposed.toString())))
            .commit();
    return identity().orElse(proposed);
  }
}
