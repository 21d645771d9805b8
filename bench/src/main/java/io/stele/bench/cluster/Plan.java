package io.stele.bench.cluster;

/**
 * How many processes a cluster consists of.
 *
 * @param members of what keeps the sessions: the metastore, or ZooKeeper
 * @param masters of which one leads
 * @param servers that have tablets
 */
record Plan(int members, int masters, int servers) {
  Plan {
    if (members < 1 || masters < 1 || servers < 1) {
      throw new IllegalArgumentException(
          "%d members, %d masters, %d servers: at least one of each is needed"
              .formatted(members, masters, servers));
    }
  }
}
