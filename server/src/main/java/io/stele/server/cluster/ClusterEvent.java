package io.stele.server.cluster;

import io.stele.base.event.Event;

/** What happens to a node as a part of its cluster. */
public sealed interface ClusterEvent extends Event {
  @Override
  default Level level() {
    return Level.INFO;
  }

  /** It takes tablets from now on. */
  record Joined(String address, String run) implements ClusterEvent {
    @Override
    public String text() {
      return "tablet server %s takes part in the cluster as %s".formatted(address, run);
    }
  }

  /** It was not heard of for too long: others have its tablets, or soon will. */
  record SessionLost(String what, String consequence) implements ClusterEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return what + " has lost its session in the metastore: " + consequence;
    }
  }

  /** Its log takes no more: others recover what it has. */
  record LogFailed(String what, Throwable cause) implements ClusterEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return what
          + " can write no more, gives up all it had, and begins anew: "
          + cause.getMessage();
    }
  }

  /** The files that it was given are another cluster's: it would take them for superfluous. */
  record WrongFiles(String what, String problem) implements ClusterEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return what + " does not start: " + problem;
    }
  }

  /** It left in order. */
  record Left(String what) implements ClusterEvent {
    @Override
    public String text() {
      return what + " has left the cluster";
    }
  }

  /** It could not give its tablets to others in time; they replay its log. */
  record LeftInHaste(String what, String cause) implements ClusterEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return what + " leaves tablets behind, which others recover from its log: " + cause;
    }
  }

  /** It does not take part, and tries again. */
  record NotTakingPart(String what, Exception cause) implements ClusterEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return what
          + " does not take part in the cluster yet, and tries again: "
          + cause.getMessage();
    }
  }
}
