package io.stele.metastore.state;

import io.stele.metastore.command.Applied;
import io.stele.metastore.command.Command;
import io.stele.metastore.raft.Position;
import java.util.List;

/**
 * Told what happens to the state, by the thread that applies the log, which waits for it: be quick,
 * and throw nothing.
 */
public interface StateListener {
  /** A revision is visible to readers; {@link KeyChange#before} is filled. Without a gap. */
  default void changed(RevisionChanges changes) {}

  /** As {@link #changed}, by so many deletions that they have to be looked up. */
  default void swept(long revision) {}

  /** A log entry was applied; its revisions have been told before. Not told at replay. */
  default void applied(Position position, List<Command> commands, Applied applied) {}

  /** The whole state was replaced by a checkpoint: revisions go on after this one. */
  default void installed(long revision) {}

  /** This member leads from now on. */
  default void leads(long term) {}

  /** This member leads no longer. */
  default void follows() {}
}
