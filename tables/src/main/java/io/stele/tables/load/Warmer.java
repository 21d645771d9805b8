package io.stele.tables.load;

import io.stele.base.schema.GroupSchema;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.schema.ChainPlan;
import io.stele.tables.tablet.ChainEdit.Closed;
import io.stele.tables.tablet.ChainEdit.Opened;
import io.stele.tables.tablet.FragmentGraph;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;

/**
 * Opens the files of tablets when they are first read, and closes them when they have not been read
 * for a while. Tables with groups in memory are opened when they are loaded, and stay open.
 */
public final class Warmer {
  private final ServerParts server;

  public Warmer(ServerParts server) {
    this.server = server;
  }

  /** Opens a tablet's files, unless somebody was faster or some of them are still to come. */
  public void warm(Table table, Tablet tablet) {
    try (Table.Uses uses = table.uses()) {
      table
          .commit(
              view ->
                  view.find(tablet)
                      .filter(seen -> !seen.isWarm() && !seen.isOwed())
                      .map(seen -> opened(table, view, seen, uses)))
          .flatMap(edited -> edited.after().find(tablet))
          .ifPresent(warm -> warm.fragments().forEach(FragmentGraph::preload));
    }
  }

  private static Opened opened(Table table, TableView view, TabletView seen, Table.Uses uses) {
    // The schema may have changed since the chains were saved, and before they were again.
    SortedMap<String, List<FragmentRef>> files =
        ChainPlan.plan(
            new TabletKey(table.name(), seen.last()).toString(),
            view.schema(),
            seen.files(),
            path -> SchemaChanger.contents(uses.open(path)));
    return new Opened(view.schemaVersion(), seen, files, uses.open(view, files));
  }

  /** True if tablets of a table are to be served from memory, in part at least. */
  private static boolean isInMemory(Table table) {
    return table.view().schema().groups().stream().anyMatch(GroupSchema::inMemory);
  }

  /** Opens the tablets of a table that has groups in memory, and reads what is to be there. */
  public void preload(Table table) {
    if (!isInMemory(table)) {
      return;
    }
    for (TabletView cold : table.view().tablets()) {
      warm(table, cold.tablet());
      try (Borrowed borrowed = table.borrow()) {
        borrowed
            .view()
            .find(cold.tablet())
            .ifPresent(tablet -> tablet.fragments().forEach(FragmentGraph::preload));
      }
    }
  }

  /**
   * Closes the files of tablets that were not read for so long. Tablets of tables with groups in
   * memory stay open, or are opened if they came later than expected.
   */
  public void cool(Table table, long idleNanos) {
    if (isInMemory(table)) {
      table.view().tablets().forEach(tablet -> warm(table, tablet.tablet()));
      return;
    }
    Set<Tablet> idle =
        table.view().tablets().stream()
            .filter(tablet -> isIdle(tablet, idleNanos))
            .map(TabletView::tablet)
            .collect(Collectors.toSet());
    if (!idle.isEmpty()) {
      var _ = table.commit(new Closed(idle));
    }
  }

  private boolean isIdle(TabletView tablet, long idleNanos) {
    return tablet.isWarm() && server.clock().nanos() - tablet.tablet().usedNanos() >= idleNanos;
  }
}
