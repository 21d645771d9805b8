package io.stele.tables.write;

import io.stele.base.file.FilePath;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.memory.MemFragment;
import io.stele.engine.memory.MemoryBudget;
import io.stele.engine.merge.Older;
import io.stele.tables.event.TableEvent;
import io.stele.tables.tablet.ChainEdit.Flushed;
import io.stele.tables.tablet.ChainEdit.Rotated;
import io.stele.tables.tablet.EditSaver;
import io.stele.tables.tablet.Edited;
import io.stele.tables.tablet.FragmentGraph;
import io.stele.tables.tablet.FragmentOrigin;
import io.stele.tables.tablet.FragmentOrigin.Kind;
import io.stele.tables.tablet.GroupView;
import io.stele.tables.tablet.OrderedLock;
import io.stele.tables.tablet.OrderedLock.Place;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletConfigs;
import io.stele.tables.tablet.TabletGate;
import io.stele.tables.tablet.TabletView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One flush: the frozen mem fragments of a group become one file, which all tablets share that have
 * rows in it; then their configurations are saved, and then the log may go.
 */
final class FlushRun {
  private final ServerParts server;
  private final MemoryBudget memory;
  private final LogRelease release;
  private final EditSaver saver;
  private final OrderedLock running = new OrderedLock(Place.FLUSH); // one at a time

  // Tablets that were flushed out: until META knows, it relies on the log from a transaction on.
  private final Map<Tablet, Long> unsaved = new ConcurrentHashMap<>();

  FlushRun(ServerParts server, MemoryBudget memory, LogRelease release, TabletConfigs configs) {
    this.server = server;
    this.memory = memory;
    this.release = release;
    this.saver = new EditSaver(server, configs);
  }

  /** What a flush starts from. */
  private record Input(TableView view, GroupView group, List<Link> mems) {
    long maxTxn() {
      return mems.stream().mapToLong(link -> link.fragment().maxTxn()).max().orElse(0);
    }

    long minTxn() {
      return mems.stream().mapToLong(link -> link.fragment().minTxn()).min().orElse(0);
    }
  }

  /** Flushes all of a group that is in memory now; false if its schema changed meanwhile. */
  boolean flush(Table table, String group, BooleanSupplier cancelled) throws IOException {
    running.lock();
    try {
      Optional<Input> input = freeze(table, group);
      return input.isEmpty() || flush(table, input.get(), cancelled);
    } finally {
      running.unlock();
    }
  }

  /**
   * Flushes all that a table has in memory at one moment, in all groups, and looks at its files
   * before any other flush adds to them: they have each row as it was at that moment.
   *
   * @return nothing if the schema changed meanwhile
   */
  <T> Optional<T> flushTogether(Table table, BooleanSupplier cancelled, Supplier<T> look)
      throws IOException {
    running.lock();
    try {
      for (Input input : freezeAll(table)) {
        if (!flush(table, input, cancelled)) {
          return Optional.empty();
        }
      }
      return Optional.of(look.get());
    } finally {
      running.unlock();
    }
  }

  private List<Input> freezeAll(Table table) {
    List<Input> inputs = new ArrayList<>();
    server
        .lock()
        .run(
            () -> {
              for (GroupView group : table.view().groups()) {
                freeze(table, group.schema().name()).ifPresent(inputs::add);
              }
            });
    return inputs;
  }

  private Optional<Input> freeze(Table table, String name) {
    server.lock().lock();
    try {
      Optional<Edited> _ = table.commit(new Rotated(Map.of(name, new MemFragment())));
      TableView view = table.view();
      return view.groups().stream()
          .filter(group -> group.schema().name().equals(name) && !group.frozen().isEmpty())
          .findFirst()
          .map(group -> new Input(view, group, List.copyOf(group.frozen())));
    } finally {
      server.lock().unlock();
    }
  }

  private boolean flush(Table table, Input input, BooleanSupplier cancelled) throws IOException {
    long start = server.clock().nanos();
    long txn = input.maxTxn();
    // No file may hold what the log could still lose: later writes must not survive earlier ones.
    server.sequencer().awaitDurable(txn);
    String group = input.group().schema().name();
    List<TabletView> tablets =
        input.view().tablets().stream().filter(each -> each.state().isFlushed()).toList();
    Optional<FilePath> path =
        write(table, input.view(), input.group(), input.mems(), tablets, Kind.FLUSH, cancelled);
    Optional<Edited> edited = Optional.empty();
    long cells;
    try (Table.Uses uses = table.uses()) {
      Optional<DiskFragment> file = path.map(uses::open);
      file.ifPresent(FragmentGraph::preload); // before readers come to it
      cells = file.map(each -> each.properties().cells()).orElse(0L);
      edited = putInPlace(table, input, file);
    } finally {
      if (edited.isEmpty()) {
        path.ifPresent(server::discard);
      }
    }
    if (edited.isEmpty()) {
      return false;
    }
    memory.add(-edited.get().freedMemory());
    server.report(
        new TableEvent.Flushed(
            table.name(),
            group,
            path.map(FilePath::toString).orElse("nothing"),
            cells,
            txn,
            server.clock().nanos() - start));
    saver.save(
        List.of(edited.get()),
        path.stream().toList(),
        metaTxn -> {
          server.sequencer().resolveFutureDeps(input.maxTxn(), 1, metaTxn);
          release.saved(input.minTxn());
        });
    return true;
  }

  /** Writes cells of a group that tablets have in memory; nothing, and no file, if none is kept. */
  private Optional<FilePath> write(
      Table table,
      TableView view,
      GroupView group,
      List<Link> mems,
      List<TabletView> tablets,
      Kind kind,
      BooleanSupplier cancelled)
      throws IOException {
    String name = group.schema().name();
    return server.write(
        mems,
        cells -> new TabletGate(cells, tablets),
        older(tablets, view.groupIndex(name), name),
        group.schema(),
        FragmentOrigin.shared(kind, table.name(), name, server.clock().micros()),
        cancelled);
  }

  /**
   * Writes what tablets that take no more writes have in memory to files of their own; the mem
   * fragments stay for the others. The log stays as well, until they are {@link #gone}.
   */
  void flushOut(Table table, Set<Tablet> leaving) throws IOException {
    running.lock();
    try {
      long txn = server.sequencer().assigned();
      server.sequencer().awaitDurable(txn);
      TableView view = table.view();
      hold(view, leaving);
      List<TabletView> tablets =
          view.tablets().stream().filter(each -> leaving.contains(each.tablet())).toList();
      for (GroupView group : view.groups()) {
        if (!group.isEmpty()) {
          flushOut(table, view, group, tablets);
        }
      }
    } finally {
      running.unlock();
    }
  }

  /**
   * Keeps the log for what tablets have in memory, and for what is in files that no configuration
   * names yet: once a tablet takes part in nothing any more, a save that waits says nothing of it.
   */
  private void hold(TableView view, Set<Tablet> tablets) {
    long from =
        Math.min(
            release.oldestSaving(),
            view.groups().stream().mapToLong(GroupView::minTxn).min().orElse(Long.MAX_VALUE));
    for (Tablet tablet : tablets) {
      if (unsaved.putIfAbsent(tablet, from) == null) {
        release.saving(from);
      }
    }
  }

  /**
   * Tablets that were flushed out have left, and META knows; or they stay, and the log is kept for
   * what they have in memory.
   */
  void gone(Set<Tablet> tablets) {
    for (Tablet tablet : tablets) {
      Long from = unsaved.remove(tablet);
      if (from != null) {
        release.saved(from);
      }
    }
  }

  private void flushOut(Table table, TableView view, GroupView group, List<TabletView> tablets)
      throws IOException {
    Optional<FilePath> path =
        write(table, view, group, group.mems(), tablets, Kind.LEAVING, () -> false);
    if (path.isPresent()) {
      try (Table.Uses uses = table.uses()) {
        Optional<DiskFragment> file = path.map(uses::open);
        String name = group.schema().name();
        var _ = table.commit(now -> Optional.of(Flushed.of(now, name, List.of(), file)));
      }
    }
  }

  /** What tablets have of a group in files; of files that are not open, only that they exist. */
  private static Older older(List<TabletView> tablets, int index, String group) {
    Older all = Older.NONE;
    for (TabletView tablet : tablets) {
      if (tablet.isOwed()) {
        return Older.UNKNOWN;
      }
      if (tablet.files().containsKey(group)) {
        all =
            all.and(
                tablet
                    .chains()
                    .map(chains -> Older.of(chains.get(index).fragments()))
                    .orElse(Older.UNKNOWN));
      }
    }
    return all;
  }

  /** Runs something while no flush can change a chain. */
  <T> T pausing(Supplier<T> action) {
    running.lock();
    try {
      return action.get();
    } finally {
      running.unlock();
    }
  }

  /**
   * Swaps the mem fragments for the file, in all tablets at once; nothing if the schema changed.
   */
  private Optional<Edited> putInPlace(Table table, Input input, Optional<DiskFragment> file) {
    String group = input.group().schema().name();
    while (true) {
      TableView seen = table.view();
      if (seen.schemaVersion() != input.view().schemaVersion()) {
        return Optional.empty();
      }
      Flushed edit = Flushed.of(seen, group, input.mems(), file);
      server.lock().lock();
      try {
        Optional<Edited> edited = table.commit(edit);
        if (edited.isPresent()) {
          release.saving(input.minTxn()); // nobody finds them gone from memory before
          server.sequencer().addFutureDeps(input.maxTxn(), 1);
          return edited;
        }
      } finally {
        server.lock().unlock();
      }
    }
  }
}
