package io.stele.tables.load;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.schema.GroupSchema;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.ChainEdit;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.write.WritePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Brings tablets to this server:
 *
 * <pre>
 *   1 placeholder ─► does another server have it? ─► 2 replay the log it left, into new files
 *     ─► 3 save: located here, logged here, with the new files ─► 4 writable ─► 5 readable
 * </pre>
 *
 * Many tablets are loaded together: the log is read once for all, and the configurations of a table
 * are saved in one batch. Until that is durable nothing here can be seen by anybody else, so a
 * crash before it leaves the tablets as they were, and a crash after it leaves them to be loaded
 * from here.
 */
public final class Loader {
  private final ServerParts server;
  private final Home home;
  private final TabletProbe probe;
  private final ConfigSaver configs;
  private final WritePath writes;
  private final long pieceBytes;

  /**
   * Makes one.
   *
   * @param pieceBytes how much of a log is gathered in memory before it is written to a file
   */
  public Loader(
      ServerParts server,
      Home home,
      TabletProbe probe,
      ConfigSaver configs,
      WritePath writes,
      long pieceBytes) {
    this.server = server;
    this.home = home;
    this.probe = probe;
    this.configs = configs;
    this.writes = writes;
    this.pieceBytes = pieceBytes;
  }

  /** A tablet on its way here. */
  private static final class Coming {
    final Table table;
    final Tablet tablet;
    final TabletConfig config;
    final SortedMap<String, List<FragmentRef>> files;

    Coming(Table table, TabletConfig config) {
      this.table = table;
      this.tablet = new Tablet(table.name());
      this.config = config;
      this.files = new TreeMap<>(config.fragments());
    }

    TabletView placeholder() {
      return new TabletView(
          tablet,
          config.first(),
          config.last(),
          TabletState.CONFIG_LOADING,
          0,
          files,
          Optional.empty());
    }
  }

  /**
   * Loads tablets; those that are here already stay as they are.
   *
   * @return how many log records were replayed
   * @throws ConflictException if another server has one of them; then none is loaded
   */
  public long load(Map<Table, List<TabletConfig>> wanted) {
    List<Coming> coming = new ArrayList<>();
    wanted.forEach((table, configsOfTable) -> coming.addAll(placeholders(table, configsOfTable)));
    boolean loaded = false;
    try {
      coming.forEach(this::checkOwner);
      advance(coming.stream().mapToLong(each -> each.config.revision()).max().orElse(0));
      setState(coming, TabletState.LOG_REPLAYING);
      long records = replay(coming);
      save(coming);
      setState(coming, TabletState.FRAGMENTS_LOADING);
      setState(coming, TabletState.ACTIVE); // its files are opened when they are first read
      loaded = true;
      for (Coming each : coming) {
        each.files
            .values()
            .forEach(refs -> refs.forEach(ref -> server.names().settled(ref.path())));
        server.report(
            new TableEvent.Loaded(each.config.key().toString(), fileCount(each), records));
      }
      return records;
    } catch (IOException e) {
      throw new UnavailableException("tablets could not be loaded: " + e, e);
    } finally {
      if (!loaded) {
        coming.forEach(each -> server.lock().run(() -> drop(each)));
      }
    }
  }

  private static int fileCount(Coming coming) {
    return coming.files.values().stream().mapToInt(List::size).sum();
  }

  private List<Coming> placeholders(Table table, List<TabletConfig> wanted) {
    List<Coming> coming = new ArrayList<>();
    server.lock().lock();
    try {
      TableView view = table.view();
      for (TabletConfig config : wanted) {
        Bytes probeRow = config.first().successor();
        if (view.find(probeRow).isEmpty()) {
          coming.add(new Coming(table, config));
        }
      }
      table.replace(view.with(coming.stream().map(Coming::placeholder).toList()));
    } finally {
      server.lock().unlock();
    }
    return coming;
  }

  private void drop(Coming coming) {
    coming.table.replace(coming.table.view().without(coming.tablet));
  }

  private void checkOwner(Coming coming) {
    String location = coming.config.location();
    if (!location.isEmpty() && probe.isServed(coming.config)) {
      throw new ConflictException(
          coming.config.key() + " is served by " + location + ": it must be unloaded there first");
    }
  }

  private void advance(long txn) {
    server.lock().run(() -> server.sequencer().advanceTo(txn));
  }

  private void setState(List<Coming> coming, TabletState state) {
    server
        .lock()
        .run(
            () -> {
              for (Coming each : coming) {
                Table table = each.table;
                table.replace(table.view().withTablet(each.tablet, view -> view.withState(state)));
              }
            });
  }

  // ---- replay

  private long replay(List<Coming> coming) throws IOException {
    Map<FilePath, Map<Table, List<Coming>>> byLog = new LinkedHashMap<>();
    for (Coming each : coming) {
      Optional<LogRef> log = each.config.log();
      if (log.isPresent() && !log.get().directory().equals(home.log())) {
        byLog
            .computeIfAbsent(log.get().directory(), _ -> new LinkedHashMap<>())
            .computeIfAbsent(each.table, _ -> new ArrayList<>())
            .add(each);
      }
    }
    long records = 0;
    for (Map.Entry<FilePath, Map<Table, List<Coming>>> entry : byLog.entrySet()) {
      LogReplay replay = new LogReplay(server, entry.getKey(), pieceBytes);
      entry
          .getValue()
          .forEach(
              (table, tablets) ->
                  replay.want(
                      table.name(),
                      table.view().schema(),
                      tablets.stream().map(each -> each.config).toList()));
      replay.run();
      advance(replay.lastTxn());
      for (Map.Entry<Table, List<Coming>> tablets : entry.getValue().entrySet()) {
        share(tablets.getKey(), tablets.getValue(), replay);
      }
      records += replay.records();
    }
    return records;
  }

  /** Gives each tablet the new files that have rows of it. */
  private static void share(Table table, List<Coming> tablets, LogReplay replay) {
    Map<Tablet, Coming> byTablet = new HashMap<>();
    tablets.forEach(each -> byTablet.put(each.tablet, each));
    List<TabletView> views =
        tablets.stream()
            .map(each -> each.placeholder().withState(TabletState.FRAGMENTS_LOADING))
            .toList();
    TableView view = TableView.empty(table.view().schema()).with(views);
    for (GroupSchema group : table.view().schema().groups()) {
      for (FilePath path : replay.files(table.name(), group.name())) {
        DiskFragment fragment = table.graph().use(path);
        try {
          for (TabletView sharing : ChainEdit.sharing(view, fragment, Long.MAX_VALUE)) {
            Coming each = Objects.requireNonNull(byTablet.get(sharing.tablet()));
            List<FragmentRef> longer =
                new ArrayList<>(each.files.getOrDefault(group.name(), List.of()));
            longer.add(FragmentRef.whole(path));
            each.files.put(group.name(), List.copyOf(longer));
          }
        } finally {
          table.graph().release(List.of(fragment)).forEach(table.graph()::close);
        }
      }
    }
  }

  // ---- save

  private void save(List<Coming> coming) {
    Map<Table, List<Coming>> byTable = new LinkedHashMap<>();
    coming.forEach(each -> byTable.computeIfAbsent(each.table, _ -> new ArrayList<>()).add(each));
    byTable.forEach(
        (table, tablets) -> {
          long fromTxn = takeOver(table, tablets);
          writes.raiseRowFloor(fromTxn);
          List<TabletConfig> saved = new ArrayList<>();
          for (Coming each : tablets) {
            TabletView view = table.view().find(each.tablet).orElseThrow();
            saved.add(configs.configOf(table, view));
          }
          configs.takeOver(table, tablets.stream().map(each -> each.config).toList(), saved);
        });
  }

  /** From now on what this server's log says of the tablets counts. */
  private long takeOver(Table table, List<Coming> tablets) {
    server.lock().lock();
    try {
      long fromTxn = server.sequencer().assigned();
      TableView view = table.view();
      for (Coming each : tablets) {
        view =
            view.withTablet(
                each.tablet,
                old ->
                    new TabletView(
                        each.tablet,
                        old.first(),
                        old.last(),
                        TabletState.CONFIG_SAVING,
                        fromTxn,
                        each.files,
                        Optional.empty()));
      }
      table.replace(view);
      return fromTxn;
    } finally {
      server.lock().unlock();
    }
  }
}
