package io.stele.tables.load;

import io.stele.base.error.FencedException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.tables.meta.ConfigGuard;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Saves the configurations of tablets where those of their table are kept: in META, in the root, or
 * in a file. In a cluster META takes them only as {@link ConfigGuard} has it.
 */
public final class ConfigSaver implements TabletConfigs {
  private final FileStore files;
  private final Home home;
  private final Sequencer sequencer;
  private final ConfigWriter writer;
  private final boolean guarded;
  private final BiConsumer<Table, Tablet> lost;

  /**
   * Makes one.
   *
   * @param guarded other servers may take tablets from this one
   * @param lost told of a tablet that another server has according to META; must not wait
   */
  public ConfigSaver(
      FileStore files,
      Home home,
      Sequencer sequencer,
      ConfigWriter writer,
      boolean guarded,
      BiConsumer<Table, Tablet> lost) {
    this.files = files;
    this.home = home;
    this.sequencer = sequencer;
    this.writer = writer;
    this.guarded = guarded;
    this.lost = lost;
  }

  /**
   * What META must say of tablets that the server of a log saves, because it has them. A server
   * without its lease has none.
   */
  public static ConfigGuard owned(FilePath log, Sequencer sequencer) {
    return whileLeased(ConfigGuard.owned(log), sequencer);
  }

  private static ConfigGuard whileLeased(ConfigGuard guard, Sequencer sequencer) {
    return (tablet, stored) -> {
      guard.check(tablet, stored);
      sequencer.checkLease();
    };
  }

  private ConfigGuard guard(ConfigGuard inCluster) {
    return guarded ? whileLeased(inCluster, sequencer) : ConfigGuard.NONE;
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
        saves.add(
            writer
                .save(key, () -> current(table, tablet))
                .whenComplete((_, failure) -> tellIfLost(table, tablet, failure)));
      }
    }
    return CompletableFuture.allOf(saves.toArray(CompletableFuture<?>[]::new))
        .thenApply(_ -> saves.stream().mapToLong(CompletableFuture::join).max().orElse(0));
  }

  private void tellIfLost(Table table, Tablet tablet, @Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
    if (cause instanceof FencedException && sequencer.mayAnswer()) {
      lost.accept(table, tablet);
    }
  }

  /** What is to be saved of a tablet now; nothing once it is on its way out. */
  private Optional<TabletConfig> current(Table table, Tablet tablet) {
    return table
        .view()
        .find(tablet)
        .filter(view -> view.state() != TabletState.DISABLED)
        .map(view -> configOf(table, view));
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
    return home.serving(table, tablet, sequencer.stamped(), sequencer.assigned());
  }

  /**
   * Saves and removes configurations of one table together, of tablets that are here and of what
   * they become; returns when that is durable.
   *
   * @param inPlace run in the thread that saves, between this and the next save
   */
  public void replace(
      Table table, List<TabletConfig> saved, List<TabletKey> erased, Runnable inPlace) {
    replace(table, new Change(saved, erased), guard(ConfigGuard.ownedOrNew(home.log())), inPlace);
  }

  /** Saves tablets that leave this server; returns when that is durable. */
  void leave(Table table, List<TabletConfig> saved) {
    replace(table, new Change(saved, List.of()), guard(ConfigGuard.owned(home.log())), () -> {});
  }

  /**
   * Saves tablets that are loaded here, which others had before; returns when that is durable.
   *
   * @param read their configurations as they were read before the load
   * @throws io.stele.base.error.ConflictException if they are not so any more: another has them
   */
  public void takeOver(Table table, List<TabletConfig> read, List<TabletConfig> saved) {
    replace(table, new Change(saved, List.of()), guard(ConfigGuard.unchanged(read)), () -> {});
  }

  private void replace(Table table, Change change, ConfigGuard guard, Runnable inPlace) {
    if (table.isFixed()) {
      FixedTable.save(files, table, change.saved().getFirst());
      inPlace.run();
      return;
    }
    try {
      Futures.await(
          sequencer.unlessFailed(writer.replace(table.name(), () -> change, guard, inPlace)));
    } catch (FencedException e) {
      if (sequencer.mayAnswer()) {
        // One of them was taken from here: saved one by one, it is found which.
        var _ = save(table, table.view().tablets().stream().map(TabletView::tablet).toList());
      }
      throw e;
    }
  }

  /**
   * Waits until nothing that was asked for is still to be saved where a table is described.
   *
   * @param most how long; those who hold locks must not wait for META, whose own tablets may need
   *     them to come back
   * @throws UnavailableException if it takes longer
   */
  public void drain(Table table, Duration most) {
    CompletableFuture<?> drained =
        sequencer.unlessFailed(
            writer.drain(table.name()).orTimeout(most.toNanos(), TimeUnit.NANOSECONDS));
    try {
      Futures.await(drained);
    } catch (CompletionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw new UnavailableException(
            "META took no configurations of table \"" + table.name() + "\" for " + most, e);
      }
      throw e;
    }
  }

  private CompletableFuture<Long> saveFixed(Table table) {
    TableView view = table.view();
    if (!view.tablets().isEmpty()) {
      TabletView tablet = view.tablets().getFirst();
      FixedTable.save(files, table, configOf(table, tablet));
    }
    return CompletableFuture.completedFuture(0L);
  }
}
