package io.stele.tables.compact;

import io.stele.base.error.ConflictException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.compact.MetaChange.Correction;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.schema.JoinPlan;
import io.stele.tables.tablet.GroupView;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.TabletView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** One join. The upper tablet stays the one it was, with more rows; the lower one is no more. */
final class JoinRun {
  private final ServerParts server;
  private final MetaChange meta;

  JoinRun(ServerParts server, MetaChange meta) {
    this.server = server;
    this.meta = meta;
  }

  /** What two tablets have become. */
  record Joined(TabletView lower, TabletView upper, TabletView both) {}

  /**
   * Joins two active tablets, neighbours whose files are open, in a view that the caller has
   * borrowed; under the {@link SwapGuard}.
   *
   * @throws ConflictException if their files do not go together as they are
   */
  Joined join(Table table, TableView view, TabletView lower, TabletView upper) {
    TabletConfig lowerConfig = meta.configOf(table, lower);
    TabletConfig upperConfig = meta.configOf(table, upper);
    Map<FilePath, DiskFragment> open = new HashMap<>(TabletSize.distinct(lower));
    open.putAll(TabletSize.distinct(upper));
    SortedMap<String, List<FragmentRef>> files =
        JoinPlan.join(lowerConfig, upperConfig, path -> rowsOf(open, path))
            .orElseThrow(() -> notTogether(table, lower, upper));
    TabletView both = both(view, lower, upper, files, open);
    TabletConfig written = meta.configOf(table, both);
    long revision =
        Math.max(written.revision(), Math.max(lowerConfig.revision(), upperConfig.revision()) + 1);
    Correction undo =
        new Correction(table, List.of(lower.tablet(), upper.tablet()), List.of(), revision);
    AtomicBoolean done = new AtomicBoolean();
    meta.save(
        undo,
        List.of(written.withRevision(revision)),
        List.of(lowerConfig.key()),
        () -> done.set(putInPlace(table, lower, upper, both)));
    if (!done.get()) {
      meta.undo(undo);
      throw new UnavailableException(
          name(table, lower) + " was changed while it was being joined: try again");
    }
    return new Joined(lower, upper, both);
  }

  private static RowRange rowsOf(Map<FilePath, DiskFragment> open, FilePath path) {
    DiskFragment fragment = Objects.requireNonNull(open.get(path));
    return new RowRange(
        fragment.properties().firstRow(), fragment.properties().lastRow().successor());
  }

  private static TabletView both(
      TableView view,
      TabletView lower,
      TabletView upper,
      SortedMap<String, List<FragmentRef>> files,
      Map<FilePath, DiskFragment> open) {
    List<Chain> chains = new ArrayList<>();
    for (GroupView group : view.groups()) {
      List<Link> links = new ArrayList<>();
      for (FragmentRef ref : files.getOrDefault(group.schema().name(), List.of())) {
        links.add(new Link(Objects.requireNonNull(open.get(ref.path())), ref.families()));
      }
      chains.add(new Chain(links));
    }
    return new TabletView(
        upper.tablet(),
        lower.first(),
        upper.last(),
        upper.state(),
        floor(view, lower, upper),
        files,
        Optional.of(chains),
        Math.min(lower.schemaRevision(), upper.schemaRevision()));
  }

  /**
   * Cells in memory at or below this are not the tablet's. If the two differ in that, none may be
   * left between: one of them has those, and the other does not.
   */
  private static long floor(TableView view, TabletView lower, TabletView upper) {
    long floor = Math.max(lower.fromTxn(), upper.fromTxn());
    if (lower.fromTxn() != upper.fromTxn()) {
      for (GroupView group : view.groups()) {
        if (group.minTxn() <= floor) {
          throw new UnavailableException(
              "tablets that came to this server at different times cannot be joined while changes"
                  + " from before are in memory: flush the table, and try again");
        }
      }
    }
    return floor;
  }

  private boolean putInPlace(Table table, TabletView lower, TabletView upper, TabletView both) {
    server.lock().lock();
    try {
      TableView view = table.view();
      Optional<TabletView> lowerNow = view.find(lower.tablet());
      Optional<TabletView> upperNow = view.find(upper.tablet());
      if (lowerNow.isEmpty()
          || upperNow.isEmpty()
          || !isSame(lowerNow.get(), lower)
          || !isSame(upperNow.get(), upper)) {
        return false;
      }
      List<DiskFragment> ended = new ArrayList<>(lower.fragments());
      ended.addAll(upper.fragments());
      both.fragments().forEach(ended::remove); // one use each goes on
      both.tablet().came(lower.tablet().sinceTxn());
      table.replace(
          view.without(lower.tablet()).without(upper.tablet()).with(List.of(both)), ended);
      return true;
    } finally {
      server.lock().unlock();
    }
  }

  private static boolean isSame(TabletView now, TabletView seen) {
    return now.state() == seen.state()
        && now.first().equals(seen.first())
        && now.last().equals(seen.last())
        && now.fromTxn() == seen.fromTxn()
        && now.fragments().equals(seen.fragments())
        && now.files().equals(seen.files());
  }

  private static ConflictException notTogether(Table table, TabletView lower, TabletView upper) {
    return new ConflictException(
        name(table, lower)
            + " and "
            + name(table, upper)
            + " share files that one of them has compacted since: compact the table, then they can"
            + " be joined");
  }

  private static String name(Table table, TabletView tablet) {
    return new TabletKey(table.name(), tablet.last()).toString();
  }

  /** Tells listeners, without locks. */
  void tell(Table table, Joined joined) {
    server.report(new TableEvent.Joined(name(table, joined.upper()), name(table, joined.lower())));
    table.events().rowsChanged(joined.lower().tablet(), Optional.empty());
    table.events().rowsChanged(joined.both().tablet(), Optional.of(joined.both().range()));
  }
}
