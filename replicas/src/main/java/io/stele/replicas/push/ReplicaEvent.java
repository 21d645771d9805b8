package io.stele.replicas.push;

import io.stele.base.event.Event;
import java.time.Duration;

/** What happens to the replicas of a server. */
public sealed interface ReplicaEvent extends Event {
  @Override
  default Level level() {
    return Level.INFO;
  }

  /** A replica begins to be here. */
  record Opened(String replica, String role, long sequence) implements ReplicaEvent {
    @Override
    public String text() {
      return "replica %s is here (%s), up to change %d".formatted(replica, role, sequence);
    }
  }

  /** A replica's part changed. */
  record RoleChanged(String replica, String role) implements ReplicaEvent {
    @Override
    public String text() {
      return "replica %s is now %s".formatted(replica, role);
    }
  }

  /** All that should have it do, and it is not this server's any more. */
  record Dropped(String replica, String why) implements ReplicaEvent {
    @Override
    public String text() {
      return "replica %s dropped: %s".formatted(replica, why);
    }
  }

  /** There are replicas of a table that nobody knows, and of whose drop there is no record. */
  record Unknown(String table) implements ReplicaEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return ("replicas of table %s are on this disk, though the metastore neither lists it nor has"
              + " a record that it was dropped: they are kept, and not served")
          .formatted(table);
    }
  }

  /** Another server's clock is too far ahead to be believed. */
  record ClockAhead(long seconds) implements ReplicaEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return ("the clock of another server is %d s ahead of this one's, and is not believed: what"
              + " is written there may hide later changes from elsewhere. Set the clocks (NTP)")
          .formatted(seconds);
    }
  }

  /** A replica's cells were lost or damaged; what is left of them is kept aside. */
  record Lost(String replica, String why) implements ReplicaEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "replica %s was lost: %s".formatted(replica, why);
    }
  }

  /** A replica was away for so long that it may have cells whose erasures are forgotten. */
  record Outdated(String replica, Duration away) implements ReplicaEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return ("replica %s has been replaced, and had no contact with the cluster for %d hours,"
              + " which is more than erasures are kept: it was set aside, since it might bring"
              + " back what was deleted")
          .formatted(replica, away.toHours());
    }
  }

  /** A replica that was lost has everything again. */
  record Filled(String replica) implements ReplicaEvent {
    @Override
    public String text() {
      return "replica %s has been filled by the others, and is served again".formatted(replica);
    }
  }

  /** Reads found corrupt data, and the replica stays as it is for now. */
  record Corrupt(String replica, String why) implements ReplicaEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "replica %s has %s; it is kept, as too few others can fill it now"
          .formatted(replica, why);
    }
  }

  /** A comparison of all replicas of a partition found that they were not equal. */
  record Differed(String table, String partition, long cells) implements ReplicaEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "table %s: replicas of partition %s differed; %d cells were sent to those without"
          .formatted(table, partition, cells);
    }
  }

  /** A target is not the store that changes were sent to before. */
  record AnotherStore(String replica, String target) implements ReplicaEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "replica %s sends everything to %s, which has another store than before"
          .formatted(replica, target);
    }
  }

  /** Somebody is too far behind to be told change by change. */
  record CaughtUp(String replica, String target, long cells, long upTo) implements ReplicaEvent {
    @Override
    public String text() {
      return "replica %s sent %d cells to %s, which has all up to change %d"
          .formatted(replica, cells, target, upTo);
    }
  }

  /** A half of a split has the cells that it begins with. */
  record TakenOver(String replica, String from, long cells, long upTo) implements ReplicaEvent {
    @Override
    public String text() {
      return "replica %s took over %d cells of %s, all up to change %d"
          .formatted(replica, cells, from, upTo);
    }
  }

  /** A split was recorded. */
  record SplitBegun(String partition, String at) implements ReplicaEvent {
    @Override
    public String text() {
      return "partition %s is being split at %s".formatted(partition, at);
    }
  }

  /** The halves have taken a partition's place. */
  record SplitDone(String partition, String lower, String upper) implements ReplicaEvent {
    @Override
    public String text() {
      return "partition %s was split into %s and %s".formatted(partition, lower, upper);
    }
  }

  /** A server that joined a partition has everything. */
  record JoinDone(String partition, String assignment) implements ReplicaEvent {
    @Override
    public String text() {
      return "partition %s has member %s now".formatted(partition, assignment);
    }
  }

  /** Work in the background failed, and will be tried again. */
  record BackgroundFailed(String what, Exception cause) implements ReplicaEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return what + " failed, and will be tried again: " + cause;
    }
  }
}
