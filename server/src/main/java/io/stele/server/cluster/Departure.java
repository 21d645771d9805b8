package io.stele.server.cluster;

import io.stele.base.error.SteleException;
import io.stele.client.metastore.Session;
import io.stele.tables.master.LiveServer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * A tablet server that is told to stop has the master move its tablets while they are served: a
 * short pause for each instead of a long one for all. Where nobody is left to take them, or it
 * takes too long, the server gives them up by itself.
 */
final class Departure {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();

  private final String address;
  private final ClusterParts parts;

  Departure(String address, ClusterParts parts) {
    this.address = address;
    this.parts = parts;
  }

  /** Returns when no tablet is left, or when waiting longer is of no use. */
  void handOver(Session session) {
    try {
      MetastoreMembership.leave(session, address);
      long deadline = parts.clock().nanos() + PATIENCE.toNanos();
      while (hasTakers()
          && parts.clock().nanos() - deadline < 0
          && parts.cluster().drain(address, true) > 0) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (SteleException e) {
      // There is no master, or no metastore: what is left is given up without them.
    }
  }

  /** Whether somebody stays who can take tablets: when all stop at once, nobody does. */
  private boolean hasTakers() {
    Set<String> draining = parts.membership().draining();
    return parts.membership().live().stream()
        .map(LiveServer::address)
        .anyMatch(other -> !draining.contains(other));
  }
}
