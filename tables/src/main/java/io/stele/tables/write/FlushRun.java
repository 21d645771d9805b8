package io.stele.tables.write;

import io.stele.base.error.FencedException;
import io.stele.base.file.FilePath;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.disk.FragmentProperties;
import io.stele.engine.memory.MemFragment;
import io.stele.engine.memory.MemoryBudget;
import io.stele.engine.merge.Older;
import io.stele.tables.event.TableEvent;
import io.stele.tables.tablet.ChainEdit;
import io.stele.tables.tablet.FragmentGraph;
import io.stele.tables.tablet.FragmentOrigin;
import io.stele.tables.tablet.GroupView;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletConfigs;
import io.stele.tables.tablet.TabletGate;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
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
  private final TabletConfigs configs;
  private final ReentrantLock running = new ReentrantLock(); // one at a time

  // Tablets that were flushed out: until META knows, it relies on the log from a transaction on.
  private final Map<Tablet, Long> unsaved = new ConcurrentHashMap<>();

  FlushRun(ServerParts server, MemoryBudget memory, LogRelease release, TabletConfigs configs) {
    this.server = server;
    this.memory = memory;
    this.release = release;
    this.configs = configs;
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
      TableView view = table.view();
      int index = index(view, name);
      if (index < 0 || view.groups().get(index).isEmpty()) {
        return Optional.empty();
      }
      GroupView group = view.groups().get(index);
      if (!group.active().isEmpty()) {
        group = group.rotated();
        view = view.withGroup(index, group);
        table.replace(view);
      }
      return Optional.of(new Input(view, group, List.copyOf(group.frozen())));
    } finally {
      server.lock().unlock();
    }
  }

  private static int index(TableView view, String group) {
    for (int i = 0; i < view.groups().size(); i++) {
      if (view.groups().get(i).schema().name().equals(group)) {
        return i;
      }
    }
    return -1;
  }

  private boolean flush(Table table, Input input, BooleanSupplier cancelled) throws IOException {
    long start = server.clock().nanos();
    long txn = input.maxTxn();
    // No file may hold what the log could still lose: later writes must not survive earlier ones.
    server.sequencer().awaitDurable(txn);
    String group = input.group().schema().name();
    List<TabletView> tablets =
        input.view().tablets().stream().filter(FlushRun::isFlushedHere).toList();
    Older older = older(tablets, index(input.view(), group), group);
    FilePath path = server.names().create();
    Optional<FragmentProperties> written = Optional.empty();
    try {
      written =
          server.write(
              path,
              input.mems(),
              cells -> new TabletGate(cells, tablets),
              older,
              input.group().schema(),
              origin(FragmentOrigin.Kind.FLUSH, table, group),
              cancelled);
    } finally {
      if (written.isEmpty()) {
        server.names().settled(path);
      }
    }
    Optional<DiskFragment> fragment =
        written.isPresent() ? Optional.of(table.graph().use(path)) : Optional.empty();
    fragment.ifPresent(FragmentGraph::preload); // before readers come to it
    Optional<Set<Tablet>> touched = putInPlace(table, input, fragment);
    if (touched.isEmpty()) {
      giveUp(table, fragment);
      return false;
    }
    server.report(
        new TableEvent.Flushed(
            table.name(),
            group,
            path.toString(),
            written.map(FragmentProperties::cells).orElse(0L),
            txn,
            server.clock().nanos() - start));
    save(table, input, path, touched.get());
    return true;
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
      for (int g = 0; g < view.groups().size(); g++) {
        GroupView group = view.groups().get(g);
        List<TabletView> tablets =
            view.tablets().stream().filter(each -> leaving.contains(each.tablet())).toList();
        if (!group.isEmpty()) {
          flushOut(table, g, group, tablets);
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

  private void flushOut(Table table, int index, GroupView group, List<TabletView> tablets)
      throws IOException {
    FilePath path = server.names().create();
    String name = group.schema().name();
    Older older = older(tablets, index, name);
    Optional<FragmentProperties> written = Optional.empty();
    try {
      written =
          server.write(
              path,
              group.mems(),
              cells -> new TabletGate(cells, tablets),
              older,
              group.schema(),
              origin(FragmentOrigin.Kind.LEAVING, table, name),
              () -> false);
    } finally {
      if (written.isEmpty()) {
        server.names().settled(path);
      }
    }
    if (written.isEmpty()) {
      return;
    }
    DiskFragment fragment = table.graph().use(path);
    Set<Tablet> sharing = new HashSet<>();
    for (TabletView each : ChainEdit.sharing(table.view(), fragment, Long.MAX_VALUE)) {
      sharing.add(each.tablet());
    }
    server
        .lock()
        .run(
            () ->
                table.replace(
                    ChainEdit.append(table.view(), table.graph(), index, fragment, sharing),
                    List.of(fragment)));
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

  private FragmentOrigin origin(FragmentOrigin.Kind kind, Table table, String group) {
    return FragmentOrigin.shared(kind, table.name(), group, server.clock().micros());
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
   * Those that are not here yet have no rows, and of those that were flushed out all rows are in
   * files. One on its way there still has some in memory, which go from there now.
   */
  private static boolean isFlushedHere(TabletView tablet) {
    return tablet.state() == TabletState.FRAGMENTS_LOADING
        || tablet.state() == TabletState.ACTIVE
        || tablet.state() == TabletState.READ_ONLY;
  }

  private void giveUp(Table table, Optional<DiskFragment> fragment) throws IOException {
    if (fragment.isPresent()) {
      FilePath path = fragment.get().path();
      table.graph().release(List.of(fragment.get())).forEach(table.graph()::close);
      server.files().delete(path);
      server.names().settled(path);
    }
  }

  /**
   * Swaps the mem fragments for the file, in all tablets at once.
   *
   * @return the tablets that have the file now; nothing if the schema changed
   */
  private Optional<Set<Tablet>> putInPlace(
      Table table, Input input, Optional<DiskFragment> fragment) {
    while (true) {
      TableView seen = table.view();
      List<TabletView> sharing =
          fragment.isPresent()
              ? ChainEdit.sharing(seen, fragment.get(), input.maxTxn())
              : List.of();
      Set<Tablet> touched = new HashSet<>();
      sharing.forEach(tablet -> touched.add(tablet.tablet()));
      server.lock().lock();
      try {
        TableView view = table.view();
        if (view.schemaVersion() != input.view().schemaVersion()) {
          return Optional.empty();
        }
        if (!view.tablets().equals(seen.tablets())) {
          continue; // tablets were split, joined, loaded or unloaded: look again which share it
        }
        int index = index(view, input.group().schema().name());
        release.saving(input.minTxn());
        server.sequencer().addFutureDeps(input.maxTxn(), 1);
        TableView next = view.withGroup(index, view.groups().get(index).without(input.mems()));
        List<DiskFragment> ended = new ArrayList<>();
        if (fragment.isPresent()) {
          next = ChainEdit.append(next, table.graph(), index, fragment.get(), touched);
          ended.add(fragment.get()); // the use that opened it
        }
        freeMemory(view, next);
        table.replace(next, ended);
      } finally {
        server.lock().unlock();
      }
      for (TabletView tablet : sharing) {
        ChainEdit.tellAppended(table, tablet, input.group().schema().name());
      }
      return Optional.of(touched);
    }
  }

  /** Mem fragments may be shared by groups after a schema change: they go with the last. */
  private void freeMemory(TableView before, TableView after) {
    memory.add(memory(after) - memory(before));
  }

  void forget(TableView last) {
    memory.add(-memory(last));
  }

  private static long memory(TableView view) {
    Set<MemFragment> all = new HashSet<>();
    for (GroupView group : view.groups()) {
      for (Link link : group.mems()) {
        all.add((MemFragment) link.fragment());
      }
    }
    return all.stream().mapToLong(MemFragment::bytes).sum();
  }

  private void save(Table table, Input input, FilePath path, Set<Tablet> touched) {
    List<CompletableFuture<Long>> saves =
        touched.stream().map(tablet -> saveUnlessLost(table, tablet)).toList();
    var _ =
        CompletableFuture.allOf(saves.toArray(CompletableFuture<?>[]::new))
            .whenComplete(
                (_, failure) -> {
                  if (failure == null) {
                    long metaTxn =
                        saves.stream().mapToLong(CompletableFuture::join).max().orElse(0);
                    server.names().settled(path);
                    server.sequencer().resolveFutureDeps(input.maxTxn(), 1, metaTxn);
                    release.saved(input.minTxn());
                  } else {
                    server.report(
                        new TableEvent.BackgroundFailed(
                            "saving configurations of table " + table.name(),
                            failure instanceof Exception e ? e : new RuntimeException(failure)));
                  }
                });
  }

  /**
   * Saves a tablet's configuration. One that another server has by now needs no save: who has it
   * has read this server's log. Otherwise the log would be kept for it for ever.
   */
  private CompletableFuture<Long> saveUnlessLost(Table table, Tablet tablet) {
    return configs
        .save(table, List.of(tablet))
        .exceptionallyCompose(
            failure -> {
              Throwable cause =
                  failure instanceof CompletionException && failure.getCause() != null
                      ? failure.getCause()
                      : failure;
              return cause instanceof FencedException && server.sequencer().mayAnswer()
                  ? CompletableFuture.completedFuture(0L)
                  : CompletableFuture.failedFuture(cause);
            });
  }
}
