package io.stele.metastore.command;

import java.time.Duration;
import java.util.List;

/** What applying a command says to the one who asked. What a user did wrong is an answer too. */
public sealed interface Answer {
  record SessionOpened(long session, Duration timeToLive) implements Answer {}

  /**
   * A transaction was done.
   *
   * @param succeeded whether the conditions held
   * @param revision of its changes, or of the state if it made none
   */
  record Transacted(boolean succeeded, long revision, List<OperationResult> results)
      implements Answer {
    public Transacted {
      results = List.copyOf(results);
    }
  }

  record LeaseGranted(long id, Duration timeToLive) implements Answer {}

  /** The lock is the session's. */
  record Granted(long token) implements Answer {}

  /** The request waits; the grant is told by {@link Applied#grants}. */
  record Queued() implements Answer {}

  /** Done, and there is no more to say. */
  record Done() implements Answer {}

  /**
   * A part of the history is gone.
   *
   * @param more whether there is history left to drop
   */
  record Reclaimed(boolean more) implements Answer {}

  /** Nothing was changed. */
  record Refused(Kind kind, String message) implements Answer {}

  /** Why; each stands for one of the kinds of errors. */
  enum Kind {
    ABORTED,
    COMPACTED,
    DENIED,
    EXHAUSTED,
    FENCED,
    INVALID,
    LOCKED,
    NOT_FOUND,
    SESSION_GONE,
    UNKNOWN,
    FUTURE_REVISION,
    KEY_ABSENT,
    LEASE_ABSENT,
    LEASE_EXISTS,
    NO_SPACE
  }
}
