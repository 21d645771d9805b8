package io.stele.bench.cluster;

import io.stele.bench.Side;
import java.nio.file.Path;
import java.time.Duration;

/** A side whose parts are processes on one directory that all share. */
interface ClusterSide extends Side {
  /**
   * How many processes a cluster consists of.
   *
   * @param members of what keeps the sessions: the metastore, or ZooKeeper
   * @param masters of which one leads
   * @param servers that have tablets
   */
  record Plan(int members, int masters, int servers) {}

  /** The session time-out of its servers. */
  Duration session();

  /**
   * A cluster with its data in a directory, and a driver for it. What keeps the sessions runs;
   * {@link Cluster#begin} starts masters and servers.
   */
  Cluster start(Path directory, Plan plan) throws Exception;
}
