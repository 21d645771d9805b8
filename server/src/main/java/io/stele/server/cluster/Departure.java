package io.stele.server.cluster;

import io.stele.base.error.SteleException;
import io.stele.client.metastore.Session;
import io.stele.tables.master.LiveServer;
import io.stele.tables.master.ServerReport.TabletReport;
import io.stele.tables.master.TabletControl;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.TabletKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How a tablet server leaves that is told to stop. If others stay, the master moves its tablets to
 * them while they are served: a short pause for each instead of a long one for all.
 *
 * <p>If all leave at once each gives up its own, and all go by the same steps, since META must be
 * there until every server has told it what it gave up:
 *
 * <pre>
 *   all tablets but those of META  ──►  those of META1  ──►  that of META0  ──►  metastore members
 * </pre>
 *
 * <p>Whoever has taken a step says so, and waits for the others. What takes too long is not waited
 * for: the log is kept, and replayed.
 */
final class Departure {
  private static final Duration MOVE_PATIENCE = Duration.ofSeconds(10);
  private static final Duration STEP_PATIENCE = Duration.ofSeconds(10);
  private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();

  /** Above that of every master: from now on none of them gives this server tablets. */
  private static final long TOKEN = Long.MAX_VALUE;

  private final String address;
  private final ClusterParts parts;

  Departure(String address, ClusterParts parts) {
    this.address = address;
    this.parts = parts;
  }

  /** Returns when no tablet is left but perhaps that of META0, or when it takes too long. */
  void handOver(Session session, TabletControl server) {
    try {
      MetastoreMembership.leave(session, address);
      await(MOVE_PATIENCE, () -> !hasTakers() || parts.cluster().drain(address, true) == 0);
      if (!hasTakers()) {
        step(session, server, MetaLevel.META1, 1);
        step(session, server, MetaLevel.META0, 2);
      }
    } catch (SteleException e) {
      // There is no master, or no metastore: what is left is given up without them.
    }
  }

  /** Gives up the tablets that a level of META describes, and waits until all others have. */
  private void step(Session session, TabletControl server, MetaLevel level, int number) {
    List<TabletKey> own =
        server.report().tablets().stream()
            .map(TabletReport::tablet)
            .filter(tablet -> MetaLevel.of(tablet.table()) == level)
            .toList();
    if (!own.isEmpty()) {
      var _ = server.unload(TOKEN, own); // those that failed are tried again at the end
    }
    MetastoreMembership.leave(session, address, number);
    await(
        STEP_PATIENCE,
        () -> {
          Map<String, Integer> steps = parts.membership().leaving();
          return parts.membership().live().stream()
              .allMatch(other -> steps.getOrDefault(other.address(), number) >= number);
        });
  }

  /** Waits for others that are leaving, and need the metastore for it. */
  void awaitOthers() {
    try {
      await(
          STEP_PATIENCE,
          () -> {
            Set<String> leaving = parts.membership().leaving().keySet();
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

  private void await(Duration patience, BooleanSupplier over) {
    long deadline = parts.clock().nanos() + patience.toNanos();
    while (!over.getAsBoolean() && parts.clock().nanos() - deadline < 0) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
