package io.stele.metastore.raft;

import io.stele.base.event.Event;
import java.util.List;

/** What an operator may want to know of the replicated log. */
public sealed interface RaftEvent extends Event {
  /** This member leads, and has applied all that came before. */
  record LeadTaken(String member, long term) implements RaftEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "member " + member + " leads in term " + term;
    }
  }

  /** This member leads no longer. */
  record LeadLost(String member) implements RaftEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "member " + member + " leads no longer";
    }
  }

  /** Other servers are members now. */
  record MembersChanged(String member, List<String> members) implements RaftEvent {
    public MembersChanged {
      members = List.copyOf(members);
    }

    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "member " + member + " sees the members " + String.join(", ", members);
    }
  }

  /** A member that had fallen behind the log took over the state of another one. */
  record CheckpointInstalled(String member, String source, Position position) implements RaftEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "member " + member + " took over the state of " + source + " at " + position;
    }
  }

  /** A checkpoint could not be taken over; it will be tried again. */
  record CheckpointFailed(String member, String source, String reason) implements RaftEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "member " + member + " could not take over the state of " + source + ": " + reason;
    }
  }

  /** A member takes part no longer: it was closed, has left its group, or failed. */
  record MemberStopped(String member) implements RaftEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "member " + member + " stopped";
    }
  }

  /** A member stopped, because to go on would have meant to skip or to forget something. */
  record MemberFailed(String member, String reason) implements RaftEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "member " + member + " stopped and must be opened again: " + reason;
    }
  }

  /** A new group began without some of its first members; they are asked again. */
  record FormingDelayed(String member, String reason) implements RaftEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "member " + member + " began a group that is not complete: " + reason;
    }
  }

  /** The log's files could not be tidied up; nothing is lost by it. */
  record TidyingFailed(String member, String reason) implements RaftEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "member " + member + " keeps more of its log than it needs: " + reason;
    }
  }

  /** A server could not announce itself, or hear others, by multicast; it will try again. */
  record DiscoveryFailed(String serviceAddress, String reason) implements RaftEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "server " + serviceAddress + " cannot announce itself by multicast: " + reason;
    }
  }
}
