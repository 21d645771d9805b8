package io.stele.tables.load;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.table.MetaProblem;
import io.stele.tables.event.TableEvent;
import io.stele.tables.load.TableSet.Reading;
import io.stele.tables.meta.LoadCheck;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.MetaTable.StoredSchema;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TableRows;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.write.Flusher;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Which tablets a server of a cluster has: it loads and gives up those that it is told to, and
 * gives up those that META says are another's.
 *
 * <p>A problem with one tablet is that tablet's: the others that were named with it are loaded.
 *
 * <p>When META does not answer, nobody knows whether a tablet is this server's now, and no master
 * gives it to another if it is. So it is looked for later ({@link #settle}), until it is known.
 */
public final class Assignments {
  private static final int READS_BEFORE_A_HOLE_IS_REPORTED = 3;

  private final ServerParts server;
  private final TableSet tables;
  private final MetaTable meta;
  private final Home home;
  private final TabletProbe probe;
  private final Loader loader;
  private final Unloader unloader;
  private final Lifecycle lifecycle;
  private final Flusher flusher;
  private final ChangeLocks locks;
  private final Consumer<Runnable> withoutCompaction;
  private final Consumer<Table> changed;
  private final Runnable settleLater;
  private final UnreadableFiles unreadable;
  private final Set<TabletKey> doubtful = ConcurrentHashMap.newKeySet(); // perhaps ours in META

  /**
   * Puts it together.
   *
   * @param probe tells whether the server lives that META says has a tablet
   * @param withoutCompaction runs something while no compaction can change a chain
   * @param changed told of a table whose tablets came here, or whose schema changed
   * @param settleLater has {@link #settle} called some time later
   * @param unreadable knows which tablets others should have
   */
  public Assignments(
      ServerParts server,
      TableSet tables,
      MetaTable meta,
      Home home,
      TabletProbe probe,
      Loader loader,
      Unloader unloader,
      Lifecycle lifecycle,
      Flusher flusher,
      ChangeLocks locks,
      Consumer<Runnable> withoutCompaction,
      Consumer<Table> changed,
      Runnable settleLater,
      UnreadableFiles unreadable) {
    this.server = server;
    this.tables = tables;
    this.meta = meta;
    this.home = home;
    this.probe = probe;
    this.loader = loader;
    this.unloader = unloader;
    this.lifecycle = lifecycle;
    this.flusher = flusher;
    this.locks = locks;
    this.withoutCompaction = withoutCompaction;
    this.changed = changed;
    this.settleLater = settleLater;
    this.unreadable = unreadable;
  }

  /** What became of each tablet: nothing but that it was done, or why it was not. */
  private static final class Outcomes {
    final Map<TabletKey, Optional<SteleException>> found = new HashMap<>();

    void done(TabletKey tablet) {
      found.put(tablet, Optional.empty());
    }

    void failed(TabletKey tablet, SteleException problem) {
      found.put(tablet, Optional.of(problem));
    }

    void failed(Collection<TabletKey> tablets, SteleException problem) {
      tablets.forEach(tablet -> failed(tablet, problem));
    }
  }

  private interface Step {
    void run(MetaLevel level, Map<String, List<TabletKey>> byTable, Outcomes outcomes);
  }

  private static Map<TabletKey, Optional<SteleException>> byLevel(
      Collection<TabletKey> tablets, List<MetaLevel> order, Step step) {
    Outcomes outcomes = new Outcomes();
    for (MetaLevel level : order) {
      Map<String, List<TabletKey>> byTable = new LinkedHashMap<>();
      for (TabletKey tablet : new HashSet<>(tablets)) {
        if (MetaLevel.of(tablet.table()) == level) {
          byTable.computeIfAbsent(tablet.table(), _ -> new ArrayList<>()).add(tablet);
        }
      }
      if (!byTable.isEmpty()) {
        step.run(level, byTable, outcomes);
      }
    }
    return outcomes.found;
  }

  // ---- loading

  /**
   * What has been taken over and is still to be read.
   *
   * @param taken several at once, or one by one
   * @param before that were here, but could not be read before
   */
  private record Unread(List<Attempt> taken, Map<Table, List<TabletKey>> before) {
    Unread() {
      this(new ArrayList<>(), new LinkedHashMap<>());
    }
  }

  /** Tablets of a table that were taken over together with {@code taken}. */
  private record Attempt(Loader.Taken taken, Map<Table, List<TabletConfig>> wanted) {}

  /**
   * Serves tablets; those that are here already stay as they are. Level by level, beginning with
   * the root, because each is described in the one above it. The level is locked only until they
   * take writes: others may be loaded, moved and split while logs are read.
   */
  public Map<TabletKey, Optional<SteleException>> load(Collection<TabletKey> tablets) {
    return byLevel(
        tablets,
        List.of(MetaLevel.values()),
        (level, byTable, out) -> read(locks.changing(level, () -> takeOver(byTable, out)), out));
  }

  /** Requests for tables that are not here yet wait from now on, until it is known what comes. */
  private Unread takeOver(Map<String, List<TabletKey>> byTable, Outcomes outcomes) {
    try (Reading _ = tables.reading(byTable.keySet())) {
      return takeOverNow(byTable, outcomes);
    }
  }

  private Unread takeOverNow(Map<String, List<TabletKey>> byTable, Outcomes outcomes) {
    Unread unread = new Unread();
    Map<Table, List<TabletConfig>> wanted = new LinkedHashMap<>();
    byTable.forEach(
        (name, keys) -> {
          List<TabletKey> missing = missing(name, keys, unread, outcomes);
          try {
            if (!missing.isEmpty()) {
              List<TabletConfig> configs = loadable(name, missing, outcomes);
              if (!configs.isEmpty()) {
                wanted.put(tableOf(name), configs);
              }
            }
          } catch (SteleException e) {
            outcomes.failed(missing, e);
          }
        });
    if (!wanted.isEmpty()) {
      takeOver(wanted, unread, outcomes);
    }
    byTable.keySet().forEach(this::forgetIfEmpty);
    return unread;
  }

  /**
   * Those that are not here. One that has all but left leaves first; of one that takes writes, but
   * is owed the rest of a log, that is read.
   */
  private List<TabletKey> missing(
      String name, List<TabletKey> keys, Unread unread, Outcomes outcomes) {
    List<TabletKey> missing = new ArrayList<>();
    for (TabletKey key : keys) {
      try {
        Optional<Table> table = tables.find(name);
        Optional<TabletView> here = table.flatMap(each -> find(each, key));
        if (here.isPresent() && here.get().state() == TabletState.DISABLED) {
          unload(table.orElseThrow(), Set.of(here.get().tablet()));
          here = Optional.empty();
        }
        if (here.isEmpty()) {
          missing.add(key);
        } else if (isReadable(here.get())) {
          outcomes.done(key);
        } else {
          unread.before.computeIfAbsent(table.orElseThrow(), _ -> new ArrayList<>()).add(key);
        }
      } catch (SteleException e) {
        outcomes.failed(key, e);
      }
    }
    return missing;
  }

  private static Optional<TabletView> find(Table table, TabletKey key) {
    return table.view().tablets().stream()
        .filter(tablet -> tablet.last().equals(key.last()))
        .findFirst();
  }

  /** The table with the schema that META has. */
  private Table tableOf(String name) {
    StoredSchema schema =
        meta.schema(name)
            .value()
            .orElseThrow(
                () -> new NotFoundException("META has no schema of table \"" + name + "\""));
    Table table = tables.add(name, schema, Optional.empty());
    if (!table.isMeta() && table.view().origins().revision() < schema.revision()) {
      lifecycle.reloadSchema(name);
    }
    return table;
  }

  private List<TabletConfig> loadable(String name, List<TabletKey> keys, Outcomes outcomes) {
    if (name.equals(TableNames.META0)) {
      TabletConfig root = meta.loadable(keys.getFirst());
      return isFree(root, outcomes) ? List.of(root) : List.of();
    }
    List<TabletKey> rest = keys;
    List<TabletConfig> sound = new ArrayList<>();
    // A hole may be a change that is under way, so it is looked for again.
    for (int reads = 1; !rest.isEmpty() && reads <= READS_BEFORE_A_HOLE_IS_REPORTED; reads++) {
      TableRows rows = meta.rows(name).value();
      Map<TabletKey, Integer> places = places(rows);
      List<TabletKey> unsound = new ArrayList<>();
      for (TabletKey key : rest) {
        try {
          TabletConfig config = sound(rows, places, key);
          if (isFree(config, outcomes)) {
            sound.add(config);
          }
        } catch (NotFoundException | CorruptDataException e) {
          outcomes.failed(key, e);
          unsound.add(key);
        }
      }
      rest = unsound;
    }
    return sound;
  }

  /** A tablet around which META is whole. */
  private static TabletConfig sound(TableRows rows, Map<TabletKey, Integer> places, TabletKey key) {
    rows.unreadable().stream()
        .filter(row -> row.row().equals(key.metaRow()))
        .findFirst()
        .ifPresent(
            row -> {
              throw new CorruptDataException("META", 0, "a row for " + key, row.problem());
            });
    Integer place = places.get(key);
    if (place == null) {
      throw new NotFoundException("META has no " + key);
    }
    List<TabletConfig> all = rows.tablets();
    TabletConfig config = all.get(place);
    int from = place;
    while (from > 0 && endsBehind(all.get(from - 1), config.first())) {
      from--;
    }
    List<TabletConfig> around = all.subList(from, Math.min(from + 3, all.size()));
    Optional<MetaProblem> problem = LoadCheck.check(config, around);
    if (problem.isPresent()) {
      throw new CorruptDataException(
          "META", 0, "neither gaps nor overlaps", problem.get().explanation());
    }
    return config;
  }

  private static boolean endsBehind(TabletConfig config, Bytes row) {
    return config.last().isEmpty() || config.last().get().compareTo(row) >= 0;
  }

  private static Map<TabletKey, Integer> places(TableRows rows) {
    Map<TabletKey, Integer> places = new HashMap<>();
    for (int i = 0; i < rows.tablets().size(); i++) {
      places.put(rows.tablets().get(i).key(), i);
    }
    return places;
  }

  private boolean isFree(TabletConfig config, Outcomes outcomes) {
    if (isServed(config)) {
      outcomes.failed(
          config.key(),
          new ConflictException(
              config.key()
                  + " is served by "
                  + config.location()
                  + ": it must be unloaded there first"));
      return false;
    }
    Optional<SteleException> refusal =
        isOwn(config) ? Optional.empty() : unreadable.refusal(config.key());
    refusal.ifPresent(problem -> outcomes.failed(config.key(), problem));
    return refusal.isEmpty();
  }

  private boolean isServed(TabletConfig config) {
    return !config.location().isEmpty() && !isOwn(config) && probe.isServed(config);
  }

  private boolean isOwn(TabletConfig config) {
    return config.log().filter(newest -> newest.directory().equals(home.log())).isPresent();
  }

  /** All at once; those that did not come one by one, so that it is known which cannot. */
  private void takeOver(Map<Table, List<TabletConfig>> wanted, Unread unread, Outcomes outcomes) {
    Optional<SteleException> problem = Optional.empty();
    try {
      Loader.Taken taken = loader.takeOver(wanted);
      unread.taken.add(new Attempt(taken, wanted));
      problem = taken.problem();
    } catch (SteleException e) {
      problem = Optional.of(e);
    }
    boolean several = wanted.values().stream().mapToInt(List::size).sum() > 1;
    for (Map.Entry<Table, List<TabletConfig>> entry : wanted.entrySet()) {
      Table table = entry.getKey();
      for (TabletConfig config : entry.getValue()) {
        if (problem.isEmpty() || find(table, config.key()).isPresent()) {
          continue; // what becomes of it is known when it has been read
        }
        if (several && server.sequencer().mayAnswer()) {
          takeOver(Map.of(table, List.of(again(config))), unread, outcomes);
        } else {
          outcomes.failed(config.key(), problem.get());
          if (!(problem.get() instanceof ConflictException)) {
            doubt(config.key());
          }
        }
      }
    }
  }

  private void read(Unread unread, Outcomes outcomes) {
    unread.before.forEach(
        (table, keys) -> {
          Optional<SteleException> problem = problemOf(() -> loader.resume(table));
          keys.forEach(key -> look(table, key, problem, outcomes));
        });
    List<Optional<SteleException>> problems =
        unread.taken.stream().map(attempt -> problemOf(() -> loader.read(attempt.taken))).toList();
    for (int i = problems.size() - 1; i >= 0; i--) { // what was tried alone was tried last
      Optional<SteleException> problem = problems.get(i);
      unread
          .taken
          .get(i)
          .wanted
          .forEach(
              (table, configs) -> {
                changed.accept(table);
                configs.forEach(config -> look(table, config.key(), problem, outcomes));
              });
    }
  }

  private static Optional<SteleException> problemOf(Runnable action) {
    try {
      action.run();
      return Optional.empty();
    } catch (SteleException e) {
      return Optional.of(e);
    }
  }

  /** What became of a tablet that is to be served; of one that did not come it is known. */
  private static void look(
      Table table, TabletKey key, Optional<SteleException> problem, Outcomes outcomes) {
    if (outcomes.found.containsKey(key)) {
      return;
    }
    if (problem.isEmpty() || find(table, key).filter(Assignments::isReadable).isPresent()) {
      outcomes.done(key);
    } else {
      outcomes.failed(key, problem.get());
    }
  }

  private void doubt(TabletKey tablet) {
    doubtful.add(tablet);
    settleLater.run();
  }

  private static boolean isReadable(TabletView tablet) {
    return tablet.state().reads() == TabletState.Access.SERVED;
  }

  /** As META has it now: the try with the others may have saved it. */
  private TabletConfig again(TabletConfig config) {
    return meta.tablet(config.key()).orElse(config);
  }

  // ---- unloading

  /** Gives tablets up; those that are not here, and not this server's in META, have left. */
  public Map<TabletKey, Optional<SteleException>> unload(Collection<TabletKey> tablets) {
    return byLevel(
        tablets,
        List.of(MetaLevel.values()).reversed(),
        (level, byTable, out) -> {
          loader.awaitReading(level);
          locks.changing(
              level,
              () -> {
                unload(byTable, out);
                return out;
              });
        });
  }

  private void unload(Map<String, List<TabletKey>> byTable, Outcomes outcomes) {
    byTable.forEach(
        (name, keys) -> {
          try {
            loadThoseInMetaOnly(name, keys, outcomes);
            tables.find(name).ifPresent(table -> unload(table, views(table, keys)));
            keys.forEach(key -> look(name, key, outcomes));
          } catch (SteleException e) {
            outcomes.failed(keys, e);
            settleLater.run();
          }
          forgetIfEmpty(name);
        });
  }

  /**
   * A load of which only the end is missing leaves a tablet that is this server's in META and that
   * it does not have. It must come before it can go, or it would be nobody's to give up.
   */
  private void loadThoseInMetaOnly(String name, List<TabletKey> keys, Outcomes outcomes) {
    List<TabletKey> own = new ArrayList<>();
    for (TabletKey key : keys) {
      if (tables.find(name).flatMap(table -> find(table, key)).isEmpty()
          && meta.tablet(key).filter(this::isOwn).isPresent()) {
        own.add(key);
      }
    }
    if (!own.isEmpty()) {
      read(takeOver(Map.of(name, own), outcomes), outcomes);
    }
  }

  private static Set<Tablet> views(Table table, List<TabletKey> keys) {
    Set<Tablet> found = new HashSet<>();
    keys.forEach(key -> find(table, key).ifPresent(view -> found.add(view.tablet())));
    return found;
  }

  private void look(String name, TabletKey key, Outcomes outcomes) {
    Optional<TabletView> still = tables.find(name).flatMap(table -> find(table, key));
    if (still.isPresent()) {
      if (still.get().state() == TabletState.DISABLED) {
        settleLater.run();
      }
      outcomes.failed(
          key, new UnavailableException(key + " is " + still.get().state().text() + ": try again"));
    } else {
      outcomes.done(key);
    }
  }

  private void unload(Table table, Set<Tablet> tablets) {
    if (!tablets.isEmpty()) {
      withoutCompaction.accept(() -> unloader.unload(table, tablets));
    }
  }

  /** A table of which nothing is here is not here; it comes back with the schema of then. */
  private void forgetIfEmpty(String name) {
    tables
        .find(name)
        .filter(table -> table.view().tablets().isEmpty())
        .ifPresent(
            table -> {
              TableView last = table.view();
              tables.remove(table);
              flusher.freed(last.memoryBytes());
            });
  }

  /** META says that another server has a tablet: then it is not this one's, whatever happened. */
  public void lost(Table table, Tablet tablet) {
    locks.changing(
        table.name(),
        () -> {
          Optional<TabletView> view = table.view().find(tablet);
          if (view.isPresent()) {
            unloader.drop(table, Set.of(tablet));
            server.report(
                new TableEvent.TabletLost(
                    new TabletKey(table.name(), view.get().last()).toString(),
                    "META says that another server has it"));
            forgetIfEmpty(table.name());
          }
          return table;
        });
  }

  /** Loads what is this server's in META and not here, and ends what has all but left. */
  public void settle() {
    for (TabletKey tablet : List.copyOf(doubtful)) {
      doubtful.remove(tablet); // comes back if it fails again
      try {
        if (meta.tablet(tablet).filter(this::isOwn).isPresent()) {
          load(List.of(tablet));
        }
      } catch (SteleException e) {
        doubt(tablet);
      }
    }
    List<TabletKey> leaving = new ArrayList<>();
    for (Table table : tables.all()) {
      table.view().tablets().stream()
          .filter(tablet -> tablet.state() == TabletState.DISABLED)
          .forEach(tablet -> leaving.add(new TabletKey(table.name(), tablet.last())));
    }
    if (!leaving.isEmpty()) {
      unload(leaving);
    }
  }
}
