package io.stele.bench.cluster;

import java.nio.file.Path;
import java.util.Map;

/** One of those that are measured: how its servers are started, and how one speaks to them. */
interface ClusterSide {
  /** Different from all others in one run. */
  String name();

  /** With its version and what else sets it apart. */
  String title();

  /** What stands above the results, by name: how servers and clients are started. */
  Map<String, String> facts();

  /**
   * A cluster with its data in a directory, and a driver for it. What keeps the sessions runs;
   * masters and servers are started by {@link RunningCluster#begin}.
   */
  RunningCluster start(Path directory, Plan plan) throws Exception;
}
