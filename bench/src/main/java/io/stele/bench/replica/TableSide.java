package io.stele.bench.replica;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** A kind of table: how its servers are started. */
interface TableSide {
  /** Different from all others in one run. */
  String name();

  /** What stands above the results, by name: how servers are started. */
  Map<String, String> facts();

  /**
   * Starts what keeps the sessions, and three servers.
   *
   * @param deadAfter when a server that is gone is replaced, if there is another
   */
  TableServers start(Path directory, Duration deadAfter) throws Exception;
}
