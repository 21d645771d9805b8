package io.stele.bench.table;

import java.nio.file.Path;
import java.util.Map;

/** One of the two that are measured: how its server is started, and how one speaks to it. */
interface Side {
  String name();

  String version();

  /** What stands above the results, by name: how server and clients are started. */
  Map<String, String> facts();

  /** Starts a server with its data in a directory, and a driver for it. */
  Contestant start(Path directory) throws Exception;
}
