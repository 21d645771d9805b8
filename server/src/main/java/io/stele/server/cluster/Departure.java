package io.stele.server.cluster;

import io.stele.base.error.SteleException;
import io.stele.client.metastore.Session;
import io.stele.tables.master.LiveServer;
import io.stele.tables.meta.TableNames;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How a tablet server leaves that is told to stop. If others stay, the master moves its tablets to
 * them while they are served: a short pause for each instead of a long one for all. If all leave at
 * once each gives up its own, and those go last that others need for that: first the servers
 * without META, then those of META1, then that of META0; and the metastore's members when all
 * others have. What takes too long is not waited for: the log is kept, and replayed.
 */
final class Departure {
  private static final Duration MOVE_PATIENCE = Duration.ofSeconds(10);
  private static final Duration TURN_PATIENCE = Duration.ofSeconds(5);
  private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();

  private final String address;
  private final ClusterParts parts;

  Departure(String address, ClusterParts parts) {
    this.address = address;
    this.parts = parts;
  }

  /** Returns when no tablet is left, or when it is this server's turn to give up its own. */
  void handOver(Session session) {
    try {
      MetastoreMembership.leave(session, address);
      await(MOVE_PATIENCE, () -> !hasTakers() || parts.cluster().drain(address, true) == 0);
      if (!hasTakers()) {
        parts.meta().forget();
        await(TURN_PATIENCE, this::isItsTurn);
      }
    } catch (SteleException e) {
      // There is no master, or no metastore: what is left is given up without them.
    }
  }

  /** Waits for others that are leaving, and need the metastore for it. */
  void awaitOthers() {
    try {
      await(
          TURN_PATIENCE.multipliedBy(2),
          () -> {
            Set<String> leaving = parts.membership().leaving();
            return parts.membership().live().stream()
                .map(LiveServer::address)
                .noneMatch(leaving::contains);
          });
    } catch (SteleException e) {
      // There is no metastore to wait for.
    }
  }

  /** Whether somebody stays who can take tablets. */
  private boolean hasTakers() {
    Set<String> draining = parts.membership().draining();
    return parts.membership().live().stream()
        .map(LiveServer::address)
        .anyMatch(other -> !draining.contains(other));
  }

  private boolean isItsTurn() {
    int own = levelOf(address);
    return parts.membership().live().stream()
        .map(LiveServer::address)
        .noneMatch(other -> !other.equals(address) && levelOf(other) < own);
  }

  /** How much others depend on a server: 0 if it has nothing of META. */
  private int levelOf(String server) {
    if (parts.meta().isAt(TableNames.META0, server)) {
      return 2;
    }
    return parts.meta().isAt(TableNames.META1, server) ? 1 : 0;
  }

  private void await(Duration patience, BooleanSupplier over) {
    long deadline = parts.clock().nanos() + patience.toNanos();
    while (!over.getAsBoolean() && parts.clock().nanos() - deadline < 0) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
