package io.stele.tables.load;

import io.stele.base.file.FileStore;
import io.stele.tables.meta.ConfigWriter;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.MetaTable.Change;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletConfigs;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.txn.Sequencer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Saves the configurations of tablets where those of their table are kept: in META, in the root, or
 * in a file.
 */
public final class ConfigSaver implements TabletConfigs {
  private final FileStore files;
  private final Home home;
  private final Sequencer sequencer;
  private final ConfigWriter writer;

  public ConfigSaver(FileStore files, Home home, Sequencer sequencer, ConfigWriter writer) {
    this.files = files;
    this.home = home;
    this.sequencer = sequencer;
    this.writer = writer;
  }

  @Override
  public CompletableFuture<Long> save(Table table, Collection<Tablet> tablets) {
    if (table.isFixed()) {
      return saveFixed(table);
    }
    List<CompletableFuture<Long>> saves = new ArrayList<>();
    for (Tablet tablet : tablets) {
      Optional<TabletView> view = table.view().find(tablet);
      if (view.isPresent()) {
        TabletKey key = new TabletKey(table.name(), view.get().last());
        saves.add(writer.save(key, () -> current(table, tablet)));
      }
    }
    return CompletableFuture.allOf(saves.toArray(CompletableFuture<?>[]::new))
        .thenApply(_ -> saves.stream().mapToLong(CompletableFuture::join).max().orElse(0));
  }

  /** What is to be saved of a tablet now; nothing once it is on its way out. */
  private Optional<TabletConfig> current(Table table, Tablet tablet) {
    return table
        .view()
        .find(tablet)
        .filter(view -> view.state() != TabletState.DISABLED)
        .map(view -> home.serving(table, view, sequencer.assigned()));
  }

  /**
   * Saves configurations, and waits for it: for as long as it takes, but not once the log takes no
   * more writes.
   */
  public void saveNow(Table table, Collection<Tablet> tablets) {
    Futures.await(sequencer.unlessFailed(save(table, tablets)));
  }

  /** A tablet's configuration as it is served here. */
  public TabletConfig configOf(Table table, TabletView tablet) {
    return home.serving(table, tablet, sequencer.assigned());
  }

  /** Saves and removes configurations of one table together; returns when that is durable. */
  public void replace(Table table, List<TabletConfig> saved, List<TabletKey> erased) {
    if (table.isFixed()) {
      FixedTable.save(files, table, saved.getFirst());
      return;
    }
    Futures.await(writer.replace(table.name(), () -> new Change(saved, erased)));
  }

  /**
   * Saves tablets that are loaded here, which others had before; returns when that is durable.
   *
   * @param read their configurations as they were read before the load
   */
  public void takeOver(Table table, List<TabletConfig> read, List<TabletConfig> saved) {
    replace(table, saved, List.of());
  }

  /** Waits until nothing that was asked for is still to be saved; fails when the log does. */
  public void drain() {
    Futures.await(sequencer.unlessFailed(writer.drain()));
  }

  private CompletableFuture<Long> saveFixed(Table table) {
    TableView view = table.view();
    if (!view.tablets().isEmpty()) {
      TabletView tablet = view.tablets().getFirst();
      FixedTable.save(files, table, home.serving(table, tablet, sequencer.assigned()));
    }
    return CompletableFuture.completedFuture(0L);
  }
}
