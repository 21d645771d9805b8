package io.stele.tables.load;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.MetaProblem;
import io.stele.tables.event.TableEvent;
import io.stele.tables.files.StoreIdentity;
import io.stele.tables.load.TableSet.Reading;
import io.stele.tables.meta.FamilyOrigins;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.LoadCheck;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaSchema;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.MetaTable.AsOf;
import io.stele.tables.meta.MetaTable.StoredSchema;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.schema.FamilyMap;
import io.stele.tables.tablet.ChainEdit.Emptied;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.write.Flusher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * How tables come into being on this server, change and go. One such change at a time for each
 * level of META ({@link ChangeLocks}); reads and writes go on meanwhile.
 */
public final class Lifecycle {
  private static final int DROP_ATTEMPTS = 20;

  /**
   * How long configurations that wait are awaited before tablets change, without the locks that
   * flushes and compactions need, and with them: what came meanwhile.
   */
  public static final Duration DRAIN = Duration.ofSeconds(5);

  public static final Duration DRAIN_UNDER_LOCKS = Duration.ofSeconds(1);

  private final ServerParts server;
  private final TableSet tables;
  private final MetaTable meta;
  private final Loader loader;
  private final Unloader unloader;
  private final SchemaChanger schemas;
  private final FixedTables fixed;
  private final ConfigSaver configs;
  private final Flusher flusher;
  private final Consumer<Runnable> withoutCompaction;
  private final Consumer<Table> changed;
  private final ChangeLocks locks;

  /**
   * Puts it together.
   *
   * @param withoutCompaction runs something while no compaction can change a chain
   * @param changed told of a table whose tablets came here, or whose schema changed
   */
  public Lifecycle(
      ServerParts server,
      TableSet tables,
      MetaTable meta,
      Loader loader,
      Unloader unloader,
      ConfigSaver configs,
      Flusher flusher,
      ChangeLocks locks,
      Consumer<Runnable> withoutCompaction,
      Consumer<Table> changed) {
    this.locks = locks;
    this.server = server;
    this.tables = tables;
    this.meta = meta;
    this.loader = loader;
    this.unloader = unloader;
    this.schemas = new SchemaChanger(server);
    this.fixed = new FixedTables(server.files());
    this.configs = configs;
    this.flusher = flusher;
    this.withoutCompaction = withoutCompaction;
    this.changed = changed;
  }

  // ---- start and end

  /** Loads META0 and META1; makes them if there are none yet. */
  public long loadMeta() {
    long records = 0;
    for (String name : List.of(TableNames.META0, TableNames.META1)) {
      Table table = tables.add(name, StoredSchema.created(MetaSchema.table()), Optional.empty());
      List<TabletConfig> found = meta.tablets(name);
      if (!found.isEmpty() && name.equals(TableNames.META0)) {
        found = List.of(meta.loadable(found.getFirst().key())); // to be saved from here on
      }
      if (found.isEmpty()) {
        if (name.equals(TableNames.META0)) {
          StoreIdentity.checkNoFragments(server.files());
        }
        found = List.of(TabletConfig.empty(name, Bytes.EMPTY, Optional.empty()));
      }
      records += loader.load(Map.of(table, found));
    }
    return records;
  }

  /** The tables that META has, and their tablets, which {@link #load} is to load. */
  public Map<Table, List<TabletConfig>> findTables() {
    Map<Table, List<TabletConfig>> found = new LinkedHashMap<>();
    for (String name : meta.tables()) {
      try {
        if (tables.find(name).isPresent()) {
          throw new ConflictException(
              "table \""
                  + name
                  + "\" is in META, and the settings name a fixed table of that name");
        }
        Optional<StoredSchema> schema = meta.schema(name).value();
        if (schema.isPresent()) {
          Table table = tables.add(name, schema.get(), Optional.empty());
          found.put(table, sound(name, meta.tablets(name)));
        }
      } catch (SteleException e) {
        tables.setFailed(name, e);
        server.report(new TableEvent.BackgroundFailed("load of table " + name, e));
      }
    }
    return found;
  }

  /**
   * Loads what was found at the start; no table changes before this has been done or has failed.
   */
  public long loadFound(Map<Table, List<TabletConfig>> found) {
    try {
      return load(found);
    } finally {
      locks.endStart();
    }
  }

  /**
   * Those tablets around which META is whole. Where it has a gap or an overlap nothing is served
   * until it is repaired: two tablets with the same rows would each miss what the other is told.
   */
  private List<TabletConfig> sound(String table, List<TabletConfig> all) {
    Set<TabletConfig> unsound = new HashSet<>();
    for (TabletConfig config : all) {
      List<TabletConfig> scanned =
          all.stream()
              .filter(
                  each -> each.last().isEmpty() || each.last().get().compareTo(config.first()) >= 0)
              .limit(3)
              .toList();
      Optional<MetaProblem> problem = LoadCheck.check(config, scanned);
      if (problem.isPresent()) {
        all.stream()
            .filter(each -> each.range().intersect(config.range()).isPresent())
            .forEach(unsound::add);
        server.report(
            new TableEvent.BackgroundFailed(
                "load of a tablet of table " + table,
                new CorruptDataException(
                    "META", 0, "neither gaps nor overlaps", problem.get().explanation())));
      }
    }
    return all.stream().filter(config -> !unsound.contains(config)).toList();
  }

  private long load(Map<Table, List<TabletConfig>> found) {
    long records;
    try {
      records = loader.load(found);
    } finally {
      // Also if it failed before it came to them: nobody is to wait for their tablets then.
      server.lock().run(() -> found.keySet().forEach(Table::activate));
    }
    found.keySet().forEach(changed);
    return records;
  }

  /** Goes on with tablets that take writes already, but of which a log could not be read. */
  public void resumeLoads() {
    for (Table table : tables.all()) {
      if (table.view().tablets().stream()
          .anyMatch(tablet -> tablet.state() == TabletState.FRAGMENTS_LOADING)) {
        loader.resumeUnlessReading(table);
      }
    }
  }

  /** Unloads all tables, META last; false if a tablet had to stay. */
  public boolean unloadAll() {
    List<Table> all = new ArrayList<>(tables.all());
    all.removeIf(Table::isMeta);
    tables.find(TableNames.META1).ifPresent(all::add);
    tables.find(TableNames.META0).ifPresent(all::add);
    boolean left = true;
    for (Table table : all) {
      loader.awaitReading(MetaLevel.of(table.name()));
      left &= locks.changing(table.name(), () -> unload(table));
    }
    return left && tables.all().isEmpty(); // none may have come meanwhile
  }

  /** False if a tablet of it is still here, whose changes may be in the log alone. */
  private boolean unload(Table table) {
    Set<Tablet> tablets = new HashSet<>();
    table.view().tablets().forEach(view -> tablets.add(view.tablet()));
    withoutCompaction.accept(() -> unloader.unload(table, tablets));
    TableView last = table.view();
    if (!last.tablets().isEmpty()) {
      return false;
    }
    tables.remove(table);
    flusher.freed(last.memoryBytes());
    return true;
  }

  // ---- tables

  public void create(String name, TableSchema schema, List<Bytes> splits) {
    TableNames.checkNew(name);
    locks.changing(
        name,
        () -> {
          if (tables.find(name).isPresent()) {
            throw new ConflictException("table \"" + name + "\" exists");
          }
          List<TabletConfig> tablets = new ArrayList<>();
          Bytes first = Bytes.EMPTY;
          for (Bytes split : splits) {
            if (split.compareTo(first) <= 0) {
              throw new InvalidRequestException(
                  "split row \"" + split + "\" behind \"" + first + "\": must be above it");
            }
            tablets.add(TabletConfig.empty(name, first, Optional.of(split)));
            first = split;
          }
          tablets.add(TabletConfig.empty(name, first, Optional.empty()));
          Futures.await(meta.create(name, schema, tablets));
          Table table = tables.add(name, StoredSchema.created(schema), Optional.empty());
          load(Map.of(table, tablets));
        });
  }

  /**
   * The tablets of a table that are here, without an owner and as they are at one moment, with all
   * their data in files.
   *
   * @param look at the files, before a compaction can take them out of the tablets
   */
  public List<TabletConfig> snapshot(Table table, Consumer<List<TabletConfig>> look) {
    return flusher.flushTogether(
        table,
        () -> {
          List<TabletConfig> found = new ArrayList<>();
          server
              .lock()
              .run(
                  () -> {
                    checkTablets(table, TabletState.ACTIVE);
                    for (TabletView tablet : table.view().tablets()) {
                      found.add(configs.configOf(table, tablet).copyFor(table.name()));
                    }
                    look.accept(found);
                  });
          return found;
        });
  }

  /**
   * Makes a table of the files of another. META is told of it at once, with all tablets, so a crash
   * leaves no half of it; until then the files are pinned.
   */
  public void copy(String source, String target) {
    TableNames.checkNew(target);
    locks.changing(
        target,
        () -> {
          if (tables.find(target).isPresent()) {
            throw new ConflictException("table \"" + target + "\" exists");
          }
          Table from = changeable(source);
          if (from.isFixed()) {
            throw new InvalidRequestException(
                "table \"" + source + "\" is fixed: its one file of configuration owns its files");
          }
          List<FilePath> pins = new ArrayList<>();
          try {
            List<TabletConfig> tablets =
                snapshot(from, found -> pins.addAll(pin(found))).stream()
                    .map(tablet -> tablet.copyFor(target))
                    .toList();
            StoredSchema schema = new StoredSchema(from.view().schema(), from.view().origins());
            Futures.await(meta.create(target, schema, tablets));
            load(Map.of(tables.add(target, schema, Optional.empty()), tablets));
          } finally {
            server.names().unpin(pins);
          }
        });
  }

  private List<FilePath> pin(List<TabletConfig> tablets) {
    List<FilePath> paths = tablets.stream().flatMap(each -> each.paths().stream()).toList();
    server.names().pin(paths);
    return paths;
  }

  public void drop(String name) {
    locks.changing(
        name,
        () -> {
          Table table = changeable(name);
          if (table.isFixed()) {
            throw new InvalidRequestException(
                "table \"" + name + "\" is fixed: unload it and delete its configuration");
          }
          configs.drain(table, DRAIN);
          whileStill(
              () -> {
                configs.drain(
                    table, DRAIN_UNDER_LOCKS); // or META would be told of its tablets again
                dropRows(name);
                forget(table);
              });
        });
  }

  /** Runs something while neither a compaction nor a flush changes a chain. */
  private void whileStill(Runnable action) {
    withoutCompaction.accept(
        () ->
            flusher.pausing(
                () -> {
                  action.run();
                  return action;
                }));
  }

  /**
   * Erases a table's rows of META, whatever they say: where one was changed between the looks at
   * it, or an attempt had an effect without saying so, it is looked again.
   */
  private void dropRows(String name) {
    for (int attempt = 1; ; attempt++) {
      try {
        Futures.await(meta.drop(name));
        return;
      } catch (ConflictException e) {
        if (attempt == DROP_ATTEMPTS) {
          throw e;
        }
      } catch (NotFoundException e) {
        if (attempt == 1) {
          throw e;
        }
        return;
      }
    }
  }

  private void forget(Table table) {
    Set<Tablet> all = new HashSet<>();
    table.view().tablets().forEach(view -> all.add(view.tablet()));
    TableView last = table.view();
    tables.remove(table);
    unloader.drop(table, all);
    flusher.freed(last.memoryBytes());
  }

  private Table changeable(String name) {
    if (TableNames.isReserved(name)) {
      throw new InvalidRequestException(
          "table \"" + name + "\" describes all others, and is not to be changed by hand");
    }
    return tables.get(name);
  }

  /**
   * A tablet that is half here or half gone is not changed with its table: META would not be told,
   * or a log that is yet to be read would bring back what was.
   */
  private static void checkTablets(Table table, TabletState... states) {
    for (TabletView tablet : table.view().tablets()) {
      if (!List.of(states).contains(tablet.state())) {
        throw new UnavailableException(
            "%s is neither wholly here nor gone (%s), and its table cannot be changed: try again"
                .formatted(new TabletKey(table.name(), tablet.last()), tablet.state().text()));
      }
    }
  }

  /** Empties a table: its tablets forget their files, and what is in memory. */
  public void truncate(String name) {
    locks.changing(
        name,
        () -> {
          Table table = changeable(name);
          checkTablets(table, TabletState.FRAGMENTS_LOADING, TabletState.ACTIVE);
          whileStill(
              () ->
                  server
                      .lock()
                      .run(() -> table.commit(new Emptied(server.sequencer().assigned()))));
          configs.saveNow(table, tabletsOf(table));
        });
  }

  private static List<Tablet> tabletsOf(Table table) {
    return table.view().tablets().stream().map(TabletView::tablet).toList();
  }

  // ---- schema

  public void alter(String name, Optional<TableSchema> expected, TableSchema schema) {
    locks.changing(
        name,
        () -> {
          Table table = changeable(name);
          checkTablets(table, TabletState.ACTIVE);
          StoredSchema.checkExpected(name, expected, table.view().schema());
          if (table.isFixed()) {
            putInForce(table, new StoredSchema(schema, table.view().origins()));
          } else {
            AsOf<Optional<StoredSchema>> known = meta.schema(name);
            Futures.await(meta.saveSchema(name, schema, known));
            putInForce(table, stored(name));
          }
        });
  }

  private StoredSchema stored(String name) {
    return meta.schema(name)
        .value()
        .orElseThrow(() -> new NotFoundException("META has no schema of table \"" + name + "\""));
  }

  /**
   * Puts the schema into force that META has.
   *
   * @throws InvalidRequestException if that is not valid; the last one stays in force
   */
  public void reloadSchema(String name) {
    locks.changing(
        name,
        () -> {
          Table table = changeable(name);
          StoredSchema stored = stored(name);
          if (stored.revision() > table.view().origins().revision()) {
            checkTablets(table, TabletState.ACTIVE);
            putInForce(table, stored);
          }
        });
  }

  /**
   * The same for a table of which something may be here. It waits for tablets that are being taken
   * over: their server has perhaps read the last schema.
   */
  public void reloadSchemaIfHere(String name) {
    locks.changing(
        name,
        () -> {
          if (tables.find(name).isPresent()) {
            reloadSchema(name);
          }
        });
  }

  /**
   * Before a family that comes takes its first cells, META says that the tablets are as of the
   * schema that has it, and that the log counts from now on: what files and log have of a family of
   * that name is from before it was removed.
   */
  private void putInForce(Table table, StoredSchema schema) {
    if (table.isFixed()
        ? familiesCome(table.view().schema(), schema.schema())
        : !tabletsHave(table, schema.origins())) {
      settle(table, schema.origins());
    }
    whileStill(() -> flusher.freed(schemas.change(table, schema).freedMemory()));
    configs.saveNow(table, tabletsOf(table));
    changed.accept(table);
  }

  private static boolean tabletsHave(Table table, FamilyOrigins origins) {
    return table.view().tablets().stream()
        .allMatch(tablet -> origins.allCountIn(tablet.schemaRevision()));
  }

  private static boolean familiesCome(TableSchema before, TableSchema after) {
    FamilyMap known = new FamilyMap(before);
    return after.groups().stream()
        .anyMatch(
            group ->
                group.wildcard()
                    || group.families().stream()
                        .anyMatch(family -> known.groupOf(Bytes.utf8(family)) < 0));
  }

  private void settle(Table table, FamilyOrigins origins) {
    flusher.flush(table);
    whileStill(() -> schemas.prepare(table, origins));
    configs.saveNow(table, tabletsOf(table));
  }

  /** Looks whether somebody has changed schemas in META. */
  public void discoverSchemas() {
    for (Table table : tables.all()) {
      if (!table.isMeta() && !table.isFixed()) {
        try {
          reloadSchema(table.name());
        } catch (NotFoundException e) {
          // Dropped meanwhile.
        } catch (SteleException e) {
          server.report(new TableEvent.SchemaIgnored(table.name(), String.valueOf(e.getMessage())));
        }
      }
    }
  }

  // ---- serving or not

  public void loadFixed(String name, FilePath configFile) {
    TableNames.checkNew(name);
    locks.changing(
        name,
        () -> {
          if (tables.find(name).isPresent()) {
            throw new ConflictException("table \"" + name + "\" is loaded already");
          }
          loadFixedNow(name, configFile);
        });
  }

  /**
   * Loads the fixed tables that the settings name, before META and all that META has. One that
   * cannot be loaded is reported and keeps no other table from being served.
   */
  public void loadFixedFirst(Map<String, String> configFiles) {
    configFiles.keySet().forEach(TableNames::checkNew);
    configFiles.forEach(
        (name, file) -> {
          try {
            loadFixedNow(name, FilePath.of(file));
          } catch (SteleException e) {
            tables.setFailed(name, e);
            server.report(new TableEvent.BackgroundFailed("load of fixed table " + name, e));
          }
        });
  }

  private void loadFixedNow(String name, FilePath configFile) {
    try (Reading _ = tables.reading(List.of(name))) {
      loadFixedTable(name, configFile);
    }
  }

  private void loadFixedTable(String name, FilePath configFile) {
    Optional<FixedTable.Config> found = FixedTable.load(server.files(), configFile, name);
    TableSchema schema =
        found.map(FixedTable.Config::schema).orElseGet(() -> TableSchema.ofFamilies("*"));
    TabletConfig tablet =
        found
            .map(FixedTable.Config::tablet)
            .orElseGet(() -> TabletConfig.empty(name, Bytes.EMPTY, Optional.empty()));
    fixed.add(name, configFile);
    Table table = tables.add(name, StoredSchema.created(schema), Optional.of(configFile));
    boolean loaded = false;
    try {
      load(Map.of(table, List.of(tablet)));
      loaded = true;
    } finally {
      if (!loaded) {
        tables.remove(table);
      }
    }
  }

  public void unloadTable(String name) {
    locks.changing(
        name,
        () -> {
          if (!unload(changeable(name))) {
            throw new UnavailableException(
                "tablets of table \"" + name + "\" are on their way here: try again");
          }
          tables.setUnloaded(name);
        });
  }

  public void loadTable(String name) {
    TableNames.checkNew(name);
    locks.changing(
        name,
        () -> {
          try (Reading _ = tables.reading(List.of(name))) {
            Table table = tables.add(name, stored(name), Optional.empty());
            load(Map.of(table, sound(name, meta.tablets(name))));
          }
        });
  }

  /** Configurations of all tablets there are, for those who look for files that nothing names. */
  public List<TabletConfig> allConfigs() {
    List<TabletConfig> all = new ArrayList<>();
    all.addAll(meta.tablets(TableNames.META0));
    all.addAll(meta.tablets(TableNames.META1));
    for (String name : meta.tables()) {
      all.addAll(meta.tablets(name));
    }
    all.addAll(fixed.configs());
    return all;
  }
}
