package io.stele.server.replicas;

import io.stele.base.error.InvalidRequestException;
import io.stele.replicas.serve.ReplicaSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a server is among those of replicated tables.
 *
 * @param address at which clients and other servers reach it
 * @param metastore addresses of servers that answer for the metastore
 * @param directory of its own, on a local disk
 * @param session how long it may be silent before it is taken for dead
 * @param awaitsMetastore whether it asks that before it serves, since it certainly answers soon
 * @param cacheBytes for blocks of files
 * @param rack what it shares with servers that may fail together with it
 */
public record ReplicaNodeSettings(
    String address,
    List<String> metastore,
    Path directory,
    Duration session,
    boolean awaitsMetastore,
    ReplicaSettings server,
    long cacheBytes,
    Optional<String> rack) {
  public ReplicaNodeSettings {
    metastore = List.copyOf(metastore);
    if (metastore.isEmpty()) {
      throw new InvalidRequestException(
          "a server of replicated tables without addresses of the metastore");
    }
  }
}
