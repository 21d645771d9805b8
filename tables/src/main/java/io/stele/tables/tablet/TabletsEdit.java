package io.stele.tables.tablet;

import static java.util.stream.Collectors.toSet;

import io.stele.base.bytes.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Edits of which tablets are here, with which rows and in which state. */
public sealed interface TabletsEdit extends TabletEdit {

  /** Tablets come. Nothing if some of their rows are here already. */
  record Added(List<TabletView> tablets) implements TabletsEdit {
    public Added {
      tablets = List.copyOf(tablets);
    }

    @Override
    public Optional<TableView> apply(TableView view) {
      return Optional.of(view.with(tablets)).filter(TableView::isInOrder);
    }
  }

  /** Tablets go, whatever their state; those that are not here have gone. */
  record Removed(Set<Tablet> tablets) implements TabletsEdit {
    public Removed {
      tablets = Set.copyOf(tablets);
    }

    @Override
    public Optional<TableView> apply(TableView view) {
      return Optional.of(view.without(tablets));
    }

    @Override
    public void tell(TabletEvents events, TableView before, TableView after) {
      tablets.forEach(tablet -> events.rowsChanged(tablet, Optional.empty()));
    }
  }

  /** Tablets go from one state to the next; those in another state stay as they are. */
  record StateChanged(Set<Tablet> tablets, TabletState from, TabletState to)
      implements TabletsEdit {
    public StateChanged {
      tablets = Set.copyOf(tablets);
      if (!from.mayBecome(to)) {
        throw new IllegalArgumentException(
            "no tablet goes from " + from.text() + " to " + to.text());
      }
    }

    private boolean changes(TabletView tablet) {
      return tablet.state() == from && tablets.contains(tablet.tablet());
    }

    /** Those of a view that it changes. */
    public Set<Tablet> changed(TableView before) {
      return before.tablets().stream()
          .filter(this::changes)
          .map(TabletView::tablet)
          .collect(toSet());
    }

    @Override
    public Optional<TableView> apply(TableView view) {
      return Optional.of(view.withTablets(changed(view)::contains, each -> each.withState(to)));
    }

    @Override
    public void tell(TabletEvents events, TableView before, TableView after) {
      if (to == TabletState.DISABLED) {
        changed(before).forEach(tablet -> events.rowsChanged(tablet, Optional.empty()));
      }
    }
  }

  /**
   * From now on what this server's log says of tablets counts, once META knows.
   *
   * @param txn the newest one of this server
   */
  record TakenOver(Set<Tablet> tablets, long txn) implements TabletsEdit {
    public TakenOver {
      tablets = Set.copyOf(tablets);
    }

    @Override
    public Optional<TableView> apply(TableView view) {
      return Optional.of(view.withTablets(tablets::contains, each -> each.takenOver(txn)));
    }
  }

  /**
   * A tablet has become two, which both have all its files. The upper half keeps its identity.
   *
   * @param seen the tablet as it was when META was told
   * @param row the last of the lower half
   */
  record Split(TabletView seen, Bytes row, Tablet lower) implements TabletsEdit {
    @Override
    public Optional<TableView> apply(TableView view) {
      return view.find(seen.tablet())
          .filter(now -> now.state() == TabletState.ACTIVE && now.hasRowsOf(seen))
          .map(
              now ->
                  view.without(Set.of(now.tablet()))
                      .with(
                          List.of(
                              now.part(lower, now.first(), Optional.of(row)),
                              now.part(now.tablet(), row, now.last()))));
    }

    @Override
    public void tell(TabletEvents events, TableView before, TableView after) {
      TabletView upper = after.find(seen.tablet()).orElseThrow();
      events.rowsChanged(upper.tablet(), Optional.of(upper.range()));
    }
  }

  /** Two neighbours have become one, which keeps the identity of the upper one. */
  record Joined(TabletView lower, TabletView upper, TabletView both) implements TabletsEdit {
    @Override
    public Optional<TableView> apply(TableView view) {
      return Stream.of(lower, upper).allMatch(each -> isSame(view.find(each.tablet()), each))
          ? Optional.of(view.without(Set.of(lower.tablet(), upper.tablet())).with(List.of(both)))
          : Optional.empty();
    }

    private static boolean isSame(Optional<TabletView> now, TabletView seen) {
      return now.filter(
              each ->
                  each.state() == seen.state()
                      && each.hasRowsOf(seen)
                      && each.fromTxn() == seen.fromTxn()
                      && each.fragments().equals(seen.fragments())
                      && each.files().equals(seen.files()))
          .isPresent();
    }

    @Override
    public void tell(TabletEvents events, TableView before, TableView after) {
      events.rowsChanged(lower.tablet(), Optional.empty());
      events.rowsChanged(both.tablet(), Optional.of(both.range()));
    }
  }
}
