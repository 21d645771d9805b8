package io.stele.tables.load;

import io.stele.base.error.FencedException;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.Edited;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.TabletsEdit.Removed;
import io.stele.tables.tablet.TabletsEdit.StateChanged;
import io.stele.tables.write.Flusher;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Takes tablets from this server, so that another can load them without reading a log:
 *
 * <pre>
 *   5 active ─► 6 no more writes ─► their rows to disk ─► 7 no more reads
 *     ─► save: located nowhere, no log ─► 0 gone
 * </pre>
 */
public final class Unloader {
  private final ServerParts server;
  private final Home home;
  private final ConfigSaver configs;
  private final Flusher flusher;

  public Unloader(ServerParts server, Home home, ConfigSaver configs, Flusher flusher) {
    this.server = server;
    this.home = home;
    this.configs = configs;
    this.flusher = flusher;
  }

  /**
   * Unloads tablets of a table that are active here, and those of which only the last configuration
   * could not be saved before: until it is, META relies on this server's log for them.
   */
  public void unload(Table table, Collection<Tablet> tablets) {
    Set<Tablet> asked = new HashSet<>(tablets);
    Set<Tablet> leaving =
        new HashSet<>(change(table, asked, TabletState.ACTIVE, TabletState.READ_ONLY));
    if (!leaving.isEmpty()) {
      disable(table, leaving);
    }
    for (TabletView view : table.view().tablets()) {
      if (asked.contains(view.tablet()) && view.state() == TabletState.DISABLED) {
        leaving.add(view.tablet());
      }
    }
    if (!leaving.isEmpty()) {
      saveAndDrop(table, leaving);
    }
  }

  /** Writes what tablets have in memory to disk, and ends reads of them. */
  private void disable(Table table, Set<Tablet> leaving) {
    boolean flushed = false;
    try {
      flusher.flushOut(table, leaving);
      flushed = true;
    } finally {
      if (!flushed) {
        Set<Tablet> _ =
            change(table, leaving, TabletState.READ_ONLY, TabletState.ACTIVE); // it stays
        flusher.gone(leaving);
      }
    }
    Set<Tablet> _ = change(table, leaving, TabletState.READ_ONLY, TabletState.DISABLED);
  }

  private void saveAndDrop(Table table, Set<Tablet> leaving) {
    List<TabletConfig> saved = new ArrayList<>();
    for (TabletView view : table.view().tablets()) {
      if (leaving.contains(view.tablet())) {
        saved.add(
            home.left(table, view, server.sequencer().stamped(), server.sequencer().assigned()));
      }
    }
    try {
      configs.leave(table, saved);
    } catch (FencedException e) {
      if (!server.sequencer().mayAnswer()) {
        throw e;
      }
      leaveOneByOne(table, leaving, e);
      return;
    }
    drop(table, leaving);
    for (TabletConfig config : saved) {
      server.report(new TableEvent.Unloaded(new TabletKey(table.name(), config.last()).toString()));
    }
  }

  /** At least one of them is another server's already, and has left as far as that goes. */
  private void leaveOneByOne(Table table, Set<Tablet> leaving, FencedException cause) {
    if (leaving.size() > 1) {
      leaving.forEach(each -> saveAndDrop(table, Set.of(each)));
      return;
    }
    for (TabletView view : table.view().tablets()) {
      if (leaving.contains(view.tablet())) {
        server.report(
            new TableEvent.TabletLost(
                new TabletKey(table.name(), view.last()).toString(),
                String.valueOf(cause.getMessage())));
      }
    }
    drop(table, leaving);
  }

  /** Those that were in the first state, and are in the next. */
  private static Set<Tablet> change(
      Table table, Set<Tablet> tablets, TabletState from, TabletState to) {
    StateChanged change = new StateChanged(tablets, from, to);
    return table.commit(change).map(edited -> change.changed(edited.before())).orElseThrow();
  }

  /** Forgets tablets, whatever their state. */
  void drop(Table table, Set<Tablet> tablets) {
    Edited edited = table.commit(new Removed(tablets)).orElseThrow();
    for (TabletView tablet : edited.before().tablets()) {
      if (tablets.contains(tablet.tablet())) {
        tablet.paths().forEach(server.names()::settled);
      }
    }
    flusher.gone(tablets);
  }
}
