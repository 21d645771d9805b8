package io.stele.metastore.watch;

import io.stele.base.error.SteleException;
import java.util.List;

/** Where a watch's events go. Called by one thread at a time. */
public interface WatchSink {
  /** The watch is set: it tells everything from this revision on. */
  void started(long revision);

  /** False to be left alone until {@link Watch#resume}. */
  boolean isReady();

  /** Whether {@link #events} may tell several revisions of the past at once. */
  default boolean joinsPast() {
    return false;
  }

  /**
   * All of a revision's events in the range; at least one. Revisions ascend. A sink that joins the
   * past gets those of several revisions, in their order, and the newest of these.
   */
  void events(long revision, List<KeyEvent> events);

  /** All events up to this revision have been told. */
  void progress(long revision);

  /** The watch has fallen behind what is kept: the oldest revision that can be watched. */
  void compacted(long oldest);

  /** The watch has ended. */
  void failed(SteleException problem);
}
