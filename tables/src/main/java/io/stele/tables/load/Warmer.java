package io.stele.tables.load;

import io.stele.base.schema.GroupSchema;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.schema.ChainPlan;
import io.stele.tables.tablet.FragmentGraph;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

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
    while (true) {
      TableView seen = table.view();
      Optional<TabletView> view = seen.find(tablet);
      if (view.isEmpty() || view.get().isWarm() || view.get().isOwed()) {
        return;
      }
      List<DiskFragment> used = new ArrayList<>();
      boolean kept = false;
      try {
        // The schema may have changed since the chains were saved, and before they were again.
        SortedMap<String, List<FragmentRef>> files =
            ChainPlan.plan(
                new TabletKey(table.name(), view.get().last()).toString(),
                seen.schema(),
                view.get().files(),
                path -> SchemaChanger.contents(table, path));
        List<Chain> chains = open(table, seen, files, used);
        kept = putInPlace(table, seen, view.get(), files, chains);
        if (kept) {
          used.forEach(FragmentGraph::preload);
          return;
        }
      } finally {
        if (!kept) {
          table.graph().release(used).forEach(table.graph()::close);
        }
      }
    }
  }

  /**
   * Opens chains as a configuration has them; adds each use to a list, to be undone by the caller.
   */
  static List<Chain> open(
      Table table,
      TableView view,
      SortedMap<String, List<FragmentRef>> files,
      List<DiskFragment> used) {
    List<Chain> chains = new ArrayList<>();
    for (GroupSchema group : view.schema().groups()) {
      List<Link> links = new ArrayList<>();
      for (FragmentRef ref : files.getOrDefault(group.name(), List.of())) {
        DiskFragment fragment = table.graph().use(ref.path());
        used.add(fragment);
        links.add(new Link(fragment, ref.families()));
      }
      chains.add(new Chain(links));
    }
    return chains;
  }

  private boolean putInPlace(
      Table table,
      TableView seen,
      TabletView tablet,
      SortedMap<String, List<FragmentRef>> files,
      List<Chain> chains) {
    server.lock().lock();
    try {
      TableView view = table.view();
      Optional<TabletView> now = view.find(tablet.tablet());
      if (now.isEmpty()
          || now.get().isWarm()
          || view.schemaVersion() != seen.schemaVersion()
          || !now.get().files().equals(tablet.files())) {
        return false;
      }
      table.replace(
          view.withTablet(tablet.tablet(), each -> each.withFiles(files, Optional.of(chains))));
      return true;
    } finally {
      server.lock().unlock();
    }
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
    for (TabletView tablet : table.view().tablets()) {
      if (isIdle(tablet, idleNanos)) {
        server.lock().lock();
        try {
          TableView view = table.view();
          Optional<TabletView> now = view.find(tablet.tablet());
          if (now.isPresent() && isIdle(now.get(), idleNanos)) {
            table.replace(
                view.withTablet(
                    tablet.tablet(), each -> each.withFiles(each.files(), Optional.empty())),
                now.get().fragments());
          }
        } finally {
          server.lock().unlock();
        }
      }
    }
  }

  private boolean isIdle(TabletView tablet, long idleNanos) {
    return tablet.isWarm() && server.clock().nanos() - tablet.tablet().usedNanos() >= idleNanos;
  }
}
