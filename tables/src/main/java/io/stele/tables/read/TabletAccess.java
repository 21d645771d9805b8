package io.stele.tables.read;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.time.Clock;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableState;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Finds the tablet of a row for a reader, and has it brought into a state in which it can be read:
 * waits while it is being loaded, and has its files opened if they are not.
 */
public final class TabletAccess {
  private final Clock clock;
  private final long deferNanos;
  private final BiConsumer<Table, Tablet> warmer;

  /**
   * Makes one.
   *
   * @param deferLimit how long a request waits for a tablet that is being loaded
   * @param warmer opens the files of a tablet, or returns if that was done meanwhile
   */
  public TabletAccess(Clock clock, Duration deferLimit, BiConsumer<Table, Tablet> warmer) {
    this.clock = clock;
    this.deferNanos = deferLimit.toNanos();
    this.warmer = warmer;
  }

  /** A tablet that can be read, in a view that stays until it is given back. */
  record OpenTablet(Borrowed borrowed, TabletView tablet) {}

  /**
   * The tablet that holds a row.
   *
   * @throws NotServingException if it is not here
   */
  OpenTablet open(Table table, Bytes row) {
    long deadline = clock.nanos() + deferNanos;
    while (true) {
      Borrowed borrowed = table.borrow();
      boolean kept = false;
      try {
        Optional<TabletView> found = borrowed.view().find(row);
        TabletView tablet = found.orElseThrow(() -> notHere(table, row));
        switch (tablet.state().reads()) {
          case REFUSED -> throw refused(table, row, tablet.state());
          case DEFERRED -> {
            borrowed.close();
            awaitLoad(table, row, borrowed.view(), tablet, deadline);
          }
          case SERVED -> {
            tablet.tablet().use(clock.nanos());
            if (tablet.isWarm()) {
              tablet.tablet().countRead();
              kept = true;
              return new OpenTablet(borrowed, tablet);
            }
            borrowed.close();
            warmer.accept(table, tablet.tablet());
          }
        }
      } finally {
        if (!kept) {
          borrowed.close();
        }
      }
    }
  }

  /** Waits while the tablet of a row is being loaded; returns at once if it is not here. */
  void awaitLoaded(Table table, Bytes row) {
    long deadline = clock.nanos() + deferNanos;
    while (true) {
      TableView view = table.view();
      Optional<TabletView> tablet =
          view.find(row).filter(found -> found.state().reads() == TabletState.Access.DEFERRED);
      if (tablet.isEmpty()) {
        return;
      }
      awaitLoad(table, row, view, tablet.get(), deadline);
    }
  }

  private void awaitLoad(Table table, Bytes row, TableView view, TabletView tablet, long deadline) {
    if (table.awaitChange(view, deadline - clock.nanos()) <= 0) {
      throw new UnavailableException(
          "the tablet of table \""
              + table.name()
              + "\" with row \""
              + row
              + "\" is still being loaded ("
              + tablet.state().text()
              + "): try again");
    }
  }

  private static RuntimeException notHere(Table table, Bytes row) {
    if (table.state() == TableState.UNKNOWN) {
      // Whoever asks again is told whether it exists.
      return new NotServingException("table \"" + table.name() + "\" is no longer served here");
    }
    return new NotServingException(
        "no tablet of table \"" + table.name() + "\" with row \"" + row + "\" is loaded here");
  }

  private static NotServingException refused(Table table, Bytes row, TabletState state) {
    return new NotServingException(
        "the tablet of table \""
            + table.name()
            + "\" with row \""
            + row
            + "\" can no longer be read: it is "
            + state.text());
  }
}
