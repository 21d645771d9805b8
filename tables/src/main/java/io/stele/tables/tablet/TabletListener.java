package io.stele.tables.tablet;

import io.stele.base.predicate.RowRange;
import java.util.Optional;

/**
 * Told what happens to tablets; with no lock held. What it throws is reported, and changes nothing.
 */
public interface TabletListener {
  /**
   * A tablet has replaced the fragments {@code [begin, end)} of a group's chain by another one, or
   * by none. For an insertion the range is empty.
   */
  default void onFragmentListUpdate(Tablet tablet, int group, int begin, int end) {}

  /**
   * A tablet's rows have changed: fewer after a split, more after a join; nothing if it was joined
   * to another, or has left the server.
   */
  default void onRowRangeUpdate(Tablet tablet, Optional<RowRange> rows) {}
}
