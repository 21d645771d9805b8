package io.stele.metastore.node;

import io.stele.base.event.Event;

/** What a member has to tell of itself. */
public sealed interface NodeEvent extends Event {
  /** This member leads, and has taken up what a leader does. */
  record DutiesTaken(long term, int sessions) implements NodeEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "leads in term " + term + "; all " + sessions + " sessions have their full time";
    }
  }

  record SessionExpired(long session) implements NodeEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "session " + session + " expired: nothing was heard of it";
    }
  }

  /** The leader itself did not run for a while. */
  record Paused(long millis) implements NodeEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "did not run for " + millis + " ms; sessions are given that time";
    }
  }

  /** The state has grown beyond its bound: the alarm is raised. */
  record NoSpace(long bytes, long quota) implements NodeEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "the state has "
          + bytes
          + " bytes of at most "
          + quota
          + ": only deletions are taken until the alarm NOSPACE is disarmed";
    }
  }

  /** Looking for deadlines failed: a fault of the program. */
  record DutiesFailed(RuntimeException problem) implements NodeEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "the leader could not see to its duties, and tries again: " + problem;
    }
  }

  record HistoryCompacted(long revision) implements NodeEvent {
    @Override
    public Level level() {
      return Level.DEBUG;
    }

    @Override
    public String text() {
      return "history before revision " + revision + " is dropped";
    }
  }

  /** The members have agreed on what they apply, and on the limits of commands. */
  record VersionSet(int version) implements NodeEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "the group is at cluster version " + version + ", with the leader's limits";
    }
  }

  /** Two members made different states of the same log. */
  record FingerprintsDiffer(long index, String own, String member, String other)
      implements NodeEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "the state of member "
          + member
          + " differs from the leader's behind log entry "
          + index
          + ": fingerprint "
          + other
          + " instead of "
          + own
          + "; find out which one is right, and replace the other member";
    }
  }
}
