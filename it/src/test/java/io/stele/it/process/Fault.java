package io.stele.it.process;

import io.stele.testkit.process.DiskFault;

/**
 * Something that befalls servers of a cluster, and is repaired again.
 *
 * @param kind what happens
 * @param victim to whom
 */
public record Fault(Kind kind, Victim victim) {

  /** What happens to a server. */
  public enum Kind {
    /** It crashes, and is started again. */
    KILL,
    /** It is stopped in an orderly way, and started again. */
    STOP,
    /** It stands still for a while. */
    PAUSE,
    /** Nothing goes from it to other servers, or back, for a while. */
    ISOLATE,
    /** What one server sends to another is lost for a while, but not what comes back. */
    CUT_ONE_WAY,
    /** Each sync takes a tenth of a second longer for a while. */
    SLOW_DISK,
    /** Another program takes all the room of its disk for a while; started again if it stopped. */
    FULL_DISK,
    /** It crashes and comes back without its data. */
    WIPE,
    /** It crashes for good, and another takes its place. */
    REPLACE
  }

  /** To whom it happens. */
  public enum Victim {
    LEADER,
    FOLLOWER,
    /** Any member of the metastore. */
    MEMBER,
    ALL_MEMBERS,
    MASTER,
    /** Any server that is no member of the metastore. */
    SERVER,
    TWO_SERVERS,
    /** Any server, member or not. */
    ANY,
    ANY_TWO
  }

  public static Fault of(Kind kind, Victim victim) {
    return new Fault(kind, victim);
  }

  /** For a test that injects it: skipped, or failed in CI, where the machine does not allow it. */
  void require(SteleCluster cluster) {
    switch (kind) {
      case ISOLATE, CUT_ONE_WAY -> cluster.network().requireCuts();
      case SLOW_DISK -> DiskFault.require();
      case FULL_DISK -> {
        if (!cluster.hasSmallDisks()) {
          throw new IllegalStateException("servers of this cluster have no disks of their own");
        }
      }
      case KILL, STOP, PAUSE, WIPE, REPLACE -> {}
    }
  }

  @Override
  public String toString() {
    return kind + " " + victim;
  }
}
