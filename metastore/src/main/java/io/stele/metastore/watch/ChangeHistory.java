package io.stele.metastore.watch;

import io.stele.metastore.key.KeyRange;
import java.util.List;

/** The changes that the state keeps, for watchers that are behind. Any thread. */
public interface ChangeHistory {
  /** The newest revision. */
  long revision();

  /** The oldest revision whose changes are there. */
  long oldest();

  /**
   * The changes from a revision on, without a gap, until about so many bytes are gathered; at least
   * one revision, unless there is none yet. If some were compacted away while it read, the answer
   * is of no use: ask {@link #oldest} afterwards.
   *
   * @param range what is wanted; a revision may also tell of others, and tells nothing if it
   *     changed none of these
   * @param previous whether to look up what was there before each change
   */
  List<Changes> changes(KeyRange range, long from, int maxBytes, boolean previous);
}
