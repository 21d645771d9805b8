package io.stele.metastore.command;

import io.stele.base.error.UnavailableException;

/**
 * What all members of a group can apply, as a number in the replicated state. The leader raises it
 * by {@link Command.SetVersion} once every member has said that it can follow; it never falls. So
 * the members of a group can be upgraded one at a time: until the last one runs the new program,
 * the new ones apply the log exactly as the old ones do.
 *
 * <pre>
 *   version  since it
 *   1        a group that nobody raised; each member's own settings are its limits
 *   2        the limits of commands are in the state; an expiry names the term that decided it; a
 *            grant that reached nobody is taken back; a compaction leaves the changes of its own
 *            revision; an end with very many keys is done in parts; fingerprints are compared
 *   3        what is below the floor of the history is no part of the state: each member drops it
 *            when it rewrites files, and no command does
 * </pre>
 *
 * <p>Whatever changes the outcome of applying an entry needs a version of its own here, and a look
 * at the version where it is applied.
 */
public final class ClusterVersion {
  public static final int FIRST = 1;

  /** The newest that this program can apply. */
  public static final int NEWEST = 3;

  /** From this version on the floor of the history decides what is part of the state. */
  public static final int WITH_FLOOR = 3;

  private ClusterVersion() {}

  /**
   * Refuses what only a newer program can go on with.
   *
   * @param what the thing of that version, for the message
   */
  public static int check(String what, int version) {
    if (version > NEWEST) {
      throw new UnavailableException(
          what
              + " is of cluster version "
              + version
              + ": this program knows versions up to "
              + NEWEST
              + "; start the newer program here");
    }
    return version;
  }
}
