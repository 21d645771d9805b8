package io.stele.client.metastore;

import io.stele.base.error.SteleException;
import java.util.List;

/**
 * Hears what a watch tells, one call at a time, from a thread of the watch's own: it may take its
 * time, and the server waits for it.
 */
public interface WatchListener {
  /** All of a revision's changes to the watched keys; revisions ascend. */
  void changed(long revision, List<KeyEvent> events);

  /** All changes up to this revision have been told. */
  default void progressed(long revision) {}

  /**
   * The end: the revision from which to go on is no longer kept. Read the keys anew, and watch from
   * behind what was read.
   *
   * @param oldest revision that can be watched from
   */
  void compacted(long oldest);

  /** The end, for another reason that trying again does not help against. */
  void failed(SteleException problem);
}
