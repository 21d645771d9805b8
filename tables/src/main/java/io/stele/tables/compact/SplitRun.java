package io.stele.tables.compact;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.tables.compact.MetaChange.Correction;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletConfigs;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One split. The upper half stays the tablet it was, the lower one is another; both have all the
 * files, until compactions part them.
 */
final class SplitRun {
  private final ServerParts server;
  private final MetaChange meta;
  private final TabletConfigs configs;

  SplitRun(ServerParts server, MetaChange meta, TabletConfigs configs) {
    this.server = server;
    this.meta = meta;
    this.configs = configs;
  }

  /** What a tablet has become. */
  record Halves(TabletView lower, TabletView upper) {}

  /**
   * Splits an active tablet; under the {@link SwapGuard}.
   *
   * @param row a row of the tablet, but not its last: the lower half ends with it
   */
  Halves split(Table table, TabletView tablet, Bytes row) {
    TabletConfig old = meta.configOf(table, tablet);
    TabletConfig lower = old.withLast(Optional.of(row));
    TabletConfig upper = old.withFirst(row);
    Correction undo =
        new Correction(table, List.of(tablet.tablet()), List.of(lower.key()), upper.revision());
    AtomicReference<@Nullable Halves> made = new AtomicReference<>();
    meta.save(
        undo,
        List.of(lower, upper),
        List.of(),
        () -> made.set(putInPlace(table, tablet, row).orElse(null)));
    Halves halves = made.get();
    if (halves == null) {
      meta.undo(undo);
      throw new UnavailableException(
          new TabletKey(table.name(), tablet.last())
              + " was changed while it was being split, and was not split: try again");
    }
    if (!halves.upper().files().equals(tablet.files())) {
      var _ = configs.save(table, List.of(halves.lower().tablet(), halves.upper().tablet()));
    }
    return halves;
  }

  private Optional<Halves> putInPlace(Table table, TabletView seen, Bytes row) {
    server.lock().lock();
    try {
      TableView view = table.view();
      Optional<TabletView> found =
          view.find(seen.tablet())
              .filter(
                  each ->
                      each.state() == TabletState.ACTIVE
                          && each.first().equals(seen.first())
                          && each.last().equals(seen.last()));
      if (found.isEmpty()) {
        return Optional.empty();
      }
      TabletView now = found.get();
      Tablet another = new Tablet(table.name());
      another.use(now.tablet().usedNanos());
      another.came(now.tablet().sinceTxn());
      TabletView lower =
          new TabletView(
              another,
              now.first(),
              Optional.of(row),
              now.state(),
              now.fromTxn(),
              now.files(),
              now.chains(),
              now.schemaRevision());
      TabletView upper =
          new TabletView(
              now.tablet(),
              row,
              now.last(),
              now.state(),
              now.fromTxn(),
              now.files(),
              now.chains(),
              now.schemaRevision());
      now.fragments().forEach(table.graph()::share);
      table.replace(view.without(now.tablet()).with(List.of(lower, upper)));
      return Optional.of(new Halves(lower, upper));
    } finally {
      server.lock().unlock();
    }
  }

  /** Tells listeners, without locks. */
  void tell(Table table, Halves halves) {
    TabletView upper = halves.upper();
    server.report(
        new TableEvent.Split(
            new TabletKey(table.name(), upper.last()).toString(),
            new TabletKey(table.name(), halves.lower().last()).toString()));
    table.events().rowsChanged(upper.tablet(), Optional.of(upper.range()));
  }
}
