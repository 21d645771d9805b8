package io.stele.server.cluster;

import io.stele.tables.load.TabletProbe;
import io.stele.tables.master.LiveServer;
import io.stele.tables.master.Membership;
import io.stele.tables.meta.TabletConfig;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whether the run lives that a tablet's newest log is of. A session that has ended never lives
 * again, so that is asked for but once.
 */
final class RunProbe implements TabletProbe {
  private final Membership membership;
  private final Set<String> dead = ConcurrentHashMap.newKeySet();

  RunProbe(Membership membership) {
    this.membership = membership;
  }

  @Override
  public boolean isServed(TabletConfig tablet) {
    return tablet.log().map(log -> lives(log.directory().name())).orElse(false);
  }

  private boolean lives(String run) {
    if (dead.contains(run)) {
      return false;
    }
    boolean lives = membership.live().stream().map(LiveServer::run).anyMatch(run::equals);
    if (!lives) {
      dead.add(run);
    }
    return lives;
  }
}
