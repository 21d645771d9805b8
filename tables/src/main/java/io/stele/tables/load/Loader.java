package io.stele.tables.load;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.EditSaver;
import io.stele.tables.tablet.OrderedLock;
import io.stele.tables.tablet.OrderedLock.Place;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.TabletsEdit.Added;
import io.stele.tables.tablet.TabletsEdit.Removed;
import io.stele.tables.tablet.TabletsEdit.StateChanged;
import io.stele.tables.tablet.TabletsEdit.TakenOver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Brings tablets to this server:
 *
 * <pre>
 *   1 placeholder ─► does another server have it?
 *     ─► 2 fence the log that it left, and find where it ends
 *     ─► 3 save: located here, with that log and, behind it, this server's
 *     ─► 4 writable ─► read that log into new files ─► 5 readable ─► save: without that log
 * </pre>
 *
 * <p>A tablet takes writes as soon as META says that it is here, however long the log is. What is
 * written here from then on has transactions above all of that log, so the two do not mix; and
 * should this server end before it has read it, the next one reads both, one behind the other.
 *
 * <p>A crash before the first save leaves a tablet as it was; one after it leaves it to be loaded
 * from here, and one before the second save means that the old log is read once more.
 *
 * <p>Many tablets are loaded together: a log is read once for all, and the configurations of a
 * table are saved in one batch. Take-overs of tablets of one META level come one after the other,
 * which the caller sees to. Reading logs needs no such turn, and may take long: meanwhile other
 * tablets are taken over, moved and split. Of each level one log is read at a time, so that the
 * memory it takes is bounded.
 */
public final class Loader {
  /** Servers whose clocks are kept by NTP are closer than this. */
  private static final long SKEW_TO_REPORT_MICROS = 1_000_000;

  private final ServerParts server;
  private final FileStore logs;
  private final Home home;
  private final TabletProbe probe;
  private final ConfigSaver configs;
  private final long pieceBytes;
  private final Map<MetaLevel, OrderedLock> turns = new EnumMap<>(MetaLevel.class); // to read
  private final Map<FilePath, DeadLog.End> logEnds = new ConcurrentHashMap<>(); // of fenced logs

  /**
   * Makes one.
   *
   * @param logs where the logs of all servers are
   * @param pieceBytes how much of a log is gathered in memory before it is written to a file
   */
  public Loader(
      ServerParts server,
      FileStore logs,
      Home home,
      TabletProbe probe,
      ConfigSaver configs,
      long pieceBytes) {
    this.server = server;
    this.logs = logs;
    this.home = home;
    this.probe = probe;
    this.configs = configs;
    this.pieceBytes = pieceBytes;
    for (MetaLevel level : MetaLevel.values()) {
      turns.put(level, new OrderedLock(Place.REPLAY));
    }
  }

  /**
   * Loads tablets, and returns when they can be read; those that are here already stay as they are.
   * What fails for one table does not keep those of others from being loaded.
   *
   * @return how many log records were replayed
   * @throws ConflictException if another server has one of them; then none is loaded
   * @throws SteleException the first failure. A tablet that could not be saved is not here then;
   *     one whose log could not be read takes writes, and is read after {@link #resume}
   */
  public long load(Map<Table, List<TabletConfig>> wanted) {
    return read(takeOver(wanted));
  }

  /** Tablets that are this server's and take writes, but are not read yet. */
  public static final class Taken {
    private final List<Coming> here;
    private final Failures failures;

    private Taken(List<Coming> here, Failures failures) {
      this.here = List.copyOf(here);
      this.failures = failures;
    }

    /** Why some were not taken over. */
    Optional<SteleException> problem() {
      return failures.first;
    }
  }

  /**
   * The first half of a load: tablets take writes when this returns. To be {@link #read} then.
   *
   * @throws ConflictException if another server has one of them; then none is taken over
   */
  public Taken takeOver(Map<Table, List<TabletConfig>> wanted) {
    List<Coming> here = new ArrayList<>();
    wanted.forEach((table, configsOfTable) -> here.addAll(unfinished(table, configsOfTable)));
    List<Coming> coming = new ArrayList<>();
    Failures failures = new Failures();
    boolean prepared = false;
    try {
      wanted.forEach((table, configsOfTable) -> coming.addAll(placeholders(table, configsOfTable)));
      coming.forEach(this::checkOwner);
      change(coming, TabletState.CONFIG_LOADING, TabletState.LOG_REPLAYING);
      advance(coming);
      prepared = true;
    } finally {
      if (!prepared) {
        drop(coming);
      }
    }
    byTable(coming)
        .forEach(
            (table, tablets) -> {
              if (takeOver(table, tablets, failures)) {
                here.addAll(tablets);
              }
            });
    return new Taken(here, failures);
  }

  /**
   * The second half of a load: reads the logs, for which nobody else has to wait.
   *
   * @return how many log records were replayed
   * @throws SteleException the first failure, of either half
   */
  public long read(Taken taken) {
    List<Coming> owed = new ArrayList<>();
    List<Coming> complete = new ArrayList<>();
    taken.here.forEach(each -> (each.owedLogs().isEmpty() ? complete : owed).add(each));
    makeReadable(complete, taken.failures); // which need not wait for logs of others
    long records = inTurn(owed, () -> makeReadable(owed, taken.failures));
    taken.failures.check();
    return records;
  }

  /**
   * Goes on with tablets of a table that take writes, but of which a log could not be read before.
   *
   * @throws SteleException if one still cannot be
   */
  public void resume(Table table) {
    List<Coming> here = unfinished(table);
    Failures failures = new Failures();
    long _ = inTurn(here, () -> makeReadable(here, failures));
    failures.check();
  }

  /** Does nothing if logs are being read at this moment, perhaps those of the very table. */
  public void resumeUnlessReading(Table table) {
    OrderedLock turn = turn(table);
    if (turn.tryLock()) {
      try {
        resume(table);
      } finally {
        turn.unlock();
      }
    }
  }

  /** Returns when logs that are being read for tables of a level have been read. */
  void awaitReading(MetaLevel level) {
    OrderedLock turn = Objects.requireNonNull(turns.get(level));
    turn.lock();
    try {
      // Nothing is to be done but to wait.
    } finally {
      turn.unlock();
    }
  }

  private OrderedLock turn(Table table) {
    return Objects.requireNonNull(turns.get(MetaLevel.of(table.name())), "one for each level");
  }

  private long inTurn(List<Coming> here, LongSupplier reading) {
    if (here.isEmpty()) {
      return 0;
    }
    OrderedLock turn = turn(here.getFirst().table()); // all are of one level
    turn.lock();
    try {
      return reading.getAsLong();
    } finally {
      turn.unlock();
    }
  }

  /** The first failure, with the others behind it. */
  private static final class Failures {
    private Optional<SteleException> first = Optional.empty();

    void add(SteleException failure) {
      if (first.isEmpty()) {
        first = Optional.of(failure);
      } else if (first.get() != failure) {
        first.get().addSuppressed(failure);
      }
    }

    void check() {
      if (first.isPresent()) {
        throw first.get();
      }
    }
  }

  private static Map<Table, List<Coming>> byTable(List<Coming> coming) {
    Map<Table, List<Coming>> byTable = new LinkedHashMap<>();
    coming.forEach(each -> byTable.computeIfAbsent(each.table(), _ -> new ArrayList<>()).add(each));
    return byTable;
  }

  // ---- 1 to 3: it becomes this server's

  private List<Coming> placeholders(Table table, List<TabletConfig> wanted) {
    Map<TabletConfig, SortedMap<String, List<FragmentRef>>> files = new HashMap<>();
    for (TabletConfig config : wanted) {
      if (!isHere(table.view(), config)) {
        checkSchema(table, config);
        files.put(
            config,
            SchemaChanger.counting(
                table, table.view().origins(), config.schemaRevision(), config.fragments()));
      }
    }
    List<Coming> coming = new ArrayList<>();
    server.lock().lock();
    try {
      TableView view = table.view();
      files.forEach(
          (config, counting) -> {
            if (!isHere(view, config)) {
              coming.add(Coming.of(table, config, counting, home));
            }
          });
      Added added =
          new Added(coming.stream().map(each -> each.view(TabletState.CONFIG_LOADING)).toList());
      if (table.commit(added).isEmpty()) {
        throw new ConflictException(
            "%s cannot come here: some of their rows are those of other tablets here"
                .formatted(coming.stream().map(each -> each.config().key()).toList()));
      }
      table.activate();
    } finally {
      server.lock().unlock();
    }
    return coming;
  }

  private static boolean isHere(TableView view, TabletConfig config) {
    return view.find(config.first().successor()).isPresent();
  }

  /** Under an older schema, cells of a family that was added since would be taken for others. */
  private static void checkSchema(Table table, TabletConfig config) {
    long newest =
        config.logs().stream()
            .mapToLong(LogRef::schemaRevision)
            .reduce(config.schemaRevision(), Math::max);
    long known = table.view().origins().revision();
    if (newest > known) {
      throw new UnavailableException(
          "%s is as of revision %d of its table's schema, and this server has revision %d: try again"
              .formatted(config.key(), newest, known));
    }
  }

  private static void drop(List<Coming> coming) {
    byTable(coming).forEach((table, tablets) -> table.commit(new Removed(identities(tablets))));
  }

  private static void change(List<Coming> coming, TabletState from, TabletState to) {
    byTable(coming)
        .forEach((table, tablets) -> table.commit(new StateChanged(identities(tablets), from, to)));
  }

  private static Set<Tablet> identities(List<Coming> coming) {
    return coming.stream().map(Coming::tablet).collect(Collectors.toSet());
  }

  private void checkOwner(Coming coming) {
    String location = coming.config().location();
    if (!location.isEmpty() && probe.isServed(coming.config())) {
      throw new ConflictException(
          coming.config().key()
              + " is served by "
              + location
              + ": it must be unloaded there first");
    }
  }

  /** What is written here must be newer than all that the tablets have seen. */
  private void advance(List<Coming> coming) {
    long newest = 0;
    long stamped = 0;
    for (Coming each : coming) {
      newest = Math.max(newest, each.config().revision());
      stamped = Math.max(stamped, each.config().stampedTo());
      for (LogRef log : each.owedLogs()) {
        DeadLog.End end = logEnds.computeIfAbsent(log.directory(), this::fencedEnd);
        newest = Math.max(newest, end.txn());
        stamped = Math.max(stamped, end.micros());
      }
    }
    long reached = newest;
    long reachedStamp = stamped;
    server
        .lock()
        .run(
            () -> {
              server.sequencer().advanceTo(reached);
              server.sequencer().advanceStampTo(reachedStamp);
            });
    long behind = stamped - server.clock().micros();
    if (behind > SKEW_TO_REPORT_MICROS) {
      server.report(new TableEvent.ClockBehind(home.address(), behind));
    }
  }

  /** What comes behind this end was acknowledged to nobody, and is left out by the replay. */
  private DeadLog.End fencedEnd(FilePath directory) {
    DeadLog log = new DeadLog(logs, directory);
    try {
      log.fence(home.address());
      log.sync();
      return log.end();
    } catch (IOException e) {
      throw new UnavailableException("log " + directory + " could not be read: " + e, e);
    }
  }

  /** False if META could not be told, or another server was quicker. */
  private boolean takeOver(Table table, List<Coming> tablets, Failures failures) {
    boolean saved = false;
    try {
      Set<Tablet> taken = identities(tablets);
      server.lock().run(() -> table.commit(new TakenOver(taken, server.sequencer().assigned())));
      List<TabletConfig> ours = new ArrayList<>();
      for (Coming each : tablets) {
        TabletView view = table.view().find(each.tablet()).orElseThrow();
        ours.add(configs.configOf(table, view));
      }
      configs.takeOver(table, tablets.stream().map(Coming::config).toList(), ours);
      saved = true;
    } catch (SteleException e) {
      failures.add(e);
    } finally {
      if (!saved) {
        drop(tablets);
      }
    }
    if (saved) {
      change(tablets, TabletState.CONFIG_SAVING, TabletState.FRAGMENTS_LOADING);
      tablets.forEach(
          each -> server.report(new TableEvent.Writable(each.config().key().toString())));
    }
    return saved;
  }

  // ---- 4 to 5: it can be read

  private List<Coming> unfinished(Table table, List<TabletConfig> wanted) {
    Set<Optional<Bytes>> lastRows = new HashSet<>();
    wanted.forEach(config -> lastRows.add(config.last()));
    return unfinished(table).stream()
        .filter(each -> lastRows.contains(each.config().last()))
        .toList();
  }

  private List<Coming> unfinished(Table table) {
    return table.view().tablets().stream()
        .filter(view -> view.state() == TabletState.FRAGMENTS_LOADING)
        .map(view -> Coming.again(table, view, home))
        .toList();
  }

  /** Those of them that have not been read, and have not left, while this waited for its turn. */
  private static List<Coming> unread(List<Coming> here) {
    return here.stream()
        .filter(
            each ->
                each.table()
                    .view()
                    .find(each.tablet())
                    .filter(view -> view.state() == TabletState.FRAGMENTS_LOADING)
                    .isPresent())
        .toList();
  }

  private long makeReadable(List<Coming> taken, Failures failures) {
    List<Coming> here = unread(taken);
    if (here.isEmpty()) {
      return 0;
    }
    // Most read at the newest durable transaction, which must not be older than what has come.
    server
        .sequencer()
        .awaitDurable(
            here.stream()
                .flatMap(each -> each.table().view().find(each.tablet()).stream())
                .mapToLong(TabletView::sinceTxn)
                .max()
                .orElse(0));
    Recovery recovery = new Recovery(server, logs, pieceBytes);
    recovery.run(here);
    recovery.failed().values().forEach(failures::add);
    List<Coming> read =
        here.stream().filter(each -> !recovery.failed().containsKey(each.tablet())).toList();
    for (Coming each : read) {
      int files =
          each.table()
              .view()
              .find(each.tablet())
              .map(view -> view.files().values().stream().mapToInt(List::size).sum())
              .orElse(0);
      server.report(
          new TableEvent.Loaded(each.config().key().toString(), files, recovery.records()));
    }
    // Nobody waits for it: until it is done the old logs stay, and would be read once more.
    recovery.save(new EditSaver(server, configs));
    return recovery.records();
  }
}
