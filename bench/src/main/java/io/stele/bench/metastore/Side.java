package io.stele.bench.metastore;

import java.nio.file.Path;
import java.util.Map;

/** One of the two that are measured: how its members are started, and how one speaks to them. */
interface Side {
  String name();

  String version();

  /** What stands above the results, by name: how its members are started. */
  Map<String, String> facts();

  /**
   * Starts members that form one group, with their data in a directory, and waits until they serve.
   */
  Cluster start(Path directory, int members) throws Exception;
}
