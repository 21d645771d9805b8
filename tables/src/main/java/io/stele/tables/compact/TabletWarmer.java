package io.stele.tables.compact;

import io.stele.base.time.Clock;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Has the files of tablets opened that are to be worked on.
 *
 * @param opener returns, too, if they were opened meanwhile
 */
record TabletWarmer(Clock clock, BiConsumer<Table, Tablet> opener) {
  /** Opens the files of an active tablet, unless they are open; it counts as used. */
  void warm(Table table, Tablet tablet) {
    Optional<TabletView> found = table.view().find(tablet);
    if (found.isPresent() && found.get().state() == TabletState.ACTIVE && !found.get().isWarm()) {
      tablet.use(clock.nanos());
      opener.accept(table, tablet);
    }
  }
}
