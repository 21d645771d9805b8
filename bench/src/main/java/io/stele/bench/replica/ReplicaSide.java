package io.stele.bench.replica;

import io.stele.bench.Side;
import io.stele.bench.process.SteleServers;
import java.nio.file.Path;
import java.time.Duration;

/** A kind of table of Stele's: how its servers are started. */
interface ReplicaSide extends Side {
  @Override
  default String version() {
    return SteleServers.version();
  }

  /**
   * Starts what keeps the sessions, and three servers.
   *
   * @param deadAfter when a server that is gone is replaced, if there is another
   */
  TableServers start(Path directory, Duration deadAfter) throws Exception;
}
