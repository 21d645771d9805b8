package io.stele.metastore.raft;

import io.stele.base.bytes.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;

/**
 * What the log is applied to: the same on every member.
 *
 * <p>Calls that change it come from one thread at a time, in the order of the log. A flush may run
 * on another thread meanwhile.
 *
 * @param <A> what applying an entry answers to the one who proposed it
 */
public interface Replica<A> {
  /** The newest entry whose effects survive the loss of the log: replay begins after it. */
  Position flushed();

  /**
   * Applies a committed entry. Never throws for what a user did wrong: that is an answer. An entry
   * at or below {@link #flushed} that comes again changes nothing.
   */
  A apply(Position position, Bytes entry);

  /** An entry without content for the replica (a change of members, a new leader) was committed. */
  void skip(Position position);

  /** This member leads from now on, and all entries of earlier leaders have been applied. */
  void leads(long term);

  /** This member leads no longer. Also called where {@link #leads} was not. */
  void follows();

  /**
   * Makes all that was applied before the call survive the loss of the log, and returns the newest
   * such entry. Entries are applied meanwhile; one flush at a time.
   */
  Position flush();

  /** Writes the whole state at one moment, for a member that starts from nothing or a backup. */
  Position writeCheckpoint(OutputStream out) throws IOException;

  /** Replaces the whole state, durably, by one that {@link #writeCheckpoint} wrote. */
  Position installCheckpoint(InputStream in) throws IOException;

  /**
   * As {@link #installCheckpoint}, of a backup with which a new group begins. What was done after
   * the backup is lost; what it handed out, such as ids, must not be handed out again.
   */
  default Position restore(InputStream in) throws IOException {
    return installCheckpoint(in);
  }

  /** The version of what the group's entries may hold: all members must be able to apply it. */
  default int version() {
    return 1;
  }

  /** The newest such version that this replica can apply. */
  default int newestVersion() {
    return version();
  }

  /** What the state behind an entry looked like, if a fingerprint of that one was taken last. */
  default Optional<String> fingerprint(long index) {
    return Optional.empty();
  }
}
