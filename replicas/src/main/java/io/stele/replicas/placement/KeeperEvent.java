package io.stele.replicas.placement;

import io.stele.base.event.Event;

/** What a keeper does, for operators and tests. */
public sealed interface KeeperEvent extends Event {
  @Override
  default Level level() {
    return Level.INFO;
  }

  /** A server has been dead for so long that others get what it has. */
  record Replacing(String table, String partition, String dead, String by) implements KeeperEvent {
    @Override
    public String text() {
      return "table %s: server %s gets partition %s in the place of %s"
          .formatted(table, by, partition, dead);
    }
  }

  /** A partition has fewer copies than it should. */
  record Adding(String table, String partition, String server) implements KeeperEvent {
    @Override
    public String text() {
      return "table %s: server %s gets a copy of partition %s".formatted(table, server, partition);
    }
  }

  /** A server has more than others, and gives a replica away. */
  record Moving(String table, String partition, String from, String to) implements KeeperEvent {
    @Override
    public String text() {
      return "table %s: partition %s moves from server %s to %s, to balance them"
          .formatted(table, partition, from, to);
    }
  }

  /** A server was to have a partition, and died before it had it. */
  record GivenUp(String table, String partition, String server) implements KeeperEvent {
    @Override
    public String text() {
      return "table %s: server %s does not get partition %s any more: it is dead"
          .formatted(table, server, partition);
    }
  }

  /** Something failed; it is tried again. */
  record Failed(String what, Exception cause) implements KeeperEvent {
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
