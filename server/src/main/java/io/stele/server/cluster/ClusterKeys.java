package io.stele.server.cluster;

/**
 * What a cluster keeps in the metastore.
 *
 * <pre>
 *   /stele/master             the address of the master; gone with its session. Also its lock
 *   /stele/servers/RUN        the address of a tablet server; gone with its session
 *   /stele/drain/ADDRESS      a server that is to have no tablets; stays until it is undone. Of one
 *                             that is about to stop it goes with its session, and says how far it is
 *   /stele/known/ADDRESS      a tablet server that takes part or once did; stays
 *   /stele/tables/root        the configuration of META0
 *   /stele/tables/cluster     the id of the cluster, which its files carry too
 *   /stele/tables/runs        after a rebuild of META: the highest number of a run that another
 *                             metastore gave; those of this one are added to it
 * </pre>
 */
final class ClusterKeys {
  static final String MASTER = "/stele/master";
  static final String SERVERS = "/stele/servers/";
  static final String DRAIN = "/stele/drain/";
  static final String KNOWN = "/stele/known/";
  static final String ROOT = "/stele/tables/root";
  static final String CLUSTER = "/stele/tables/cluster";
  static final String RUNS = "/stele/tables/runs";

  /** On whose behalf nodes ask; where rights are set for / or /stele, this one must have them. */
  static final String PRINCIPAL = "stele";

  private ClusterKeys() {}

  /**
   * The name of a tablet server's run: no other session ever has the same.
   *
   * @param lastRun the highest number of the runs whose sessions were those of a metastore that was
   *     lost; usually 0
   */
  static String run(long lastRun, long session) {
    return "s%012d".formatted(lastRun + session);
  }
}
