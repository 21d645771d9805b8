package io.stele.tables.compact;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.RandomSource;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.chain.Chain;
import io.stele.engine.disk.Codec;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.disk.FragmentSettings;
import io.stele.engine.disk.FragmentWriter;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.tables.event.TableEvent;
import io.stele.tables.load.Warmer;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.read.TabletReader;
import io.stele.tables.tablet.ChainEdit.Flushed;
import io.stele.tables.tablet.CommitLock;
import io.stele.tables.tablet.FileHealth;
import io.stele.tables.tablet.ForcedState;
import io.stele.tables.tablet.FragmentFiles;
import io.stele.tables.tablet.FragmentGraph;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletConfigs;
import io.stele.tables.tablet.TabletListener;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.TabletsEdit.Added;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import io.stele.tables.txn.Sequencer;
import io.stele.tables.txn.Snapshots;
import io.stele.testkit.ManualClock;
import io.stele.testkit.sim.Intercepted;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A table on files in memory, whose tablets and files a test makes by hand, with a META that keeps
 * what it is told in a map and can be made to fail.
 */
final class TestTable implements TabletConfigs, SplitConfigs, AutoCloseable {
  static final Bytes FAMILY = Bytes.utf8("f");

  final MemoryFileStore memory = new MemoryFileStore();
  volatile Consumer<FilePath> onCreate = _ -> {}; // sees files before they are made
  final FileStore files =
      Intercepted.of(
          FileStore.class,
          memory,
          (method, arguments, rest) -> {
            if (method.getName().equals("create")) {
              onCreate.accept((FilePath) arguments[0]);
            }
            return rest.proceed();
          });
  final ManualClock clock = new ManualClock();
  final List<TableEvent> events = new CopyOnWriteArrayList<>();
  final List<String> told = new CopyOnWriteArrayList<>(); // by listeners of tablets
  final Snapshots snapshots = new Snapshots();
  final ServerParts server;
  final Warmer warmer;
  final Table table;

  /** META, by last row, {@code !} for none. */
  final TreeMap<String, TabletConfig> meta = new TreeMap<>();

  final List<String> asyncSaves = new CopyOnWriteArrayList<>();

  /** How the next saves end. */
  enum Fate {
    WRITTEN,
    LOST,
    WRITTEN_BUT_UNKNOWN
  }

  final List<Fate> fates = new ArrayList<>(); // used up one by one; then all are written
  final List<Tablet> savedNext = new ArrayList<>(); // wait to be saved behind the next change
  CompletableFuture<Long> asyncOutcome = CompletableFuture.completedFuture(0L);
  private long revision = 10;

  TestTable() {
    this("t", TableSchema.ofFamilies("f", "g"), Optional.empty());
  }

  TestTable(String name, TableSchema schema, Optional<FilePath> configFile) {
    CommitLock lock = new CommitLock();
    this.server =
        new ServerParts(
            files,
            new FragmentFiles("1"),
            lock,
            new Sequencer(1_000, Runnable::run),
            snapshots,
            clock,
            RandomSource.seeded(1),
            new FileHealth(),
            events::add);
    this.warmer = new Warmer(server);
    FragmentGraph graph = new FragmentGraph(files, new BlockCache(16 << 20), server::unreadable);
    this.table =
        new Table(
            name,
            TableView.empty(schema),
            lock,
            graph,
            configFile,
            failure -> events.add(new TableEvent.BackgroundFailed("listener", failure)));
  }

  // ---- cells and files

  static Bytes bytes(String text) {
    return Bytes.utf8(text);
  }

  static Cell put(String row, String value, long txn) {
    return put(row, "f", value, txn);
  }

  static Cell put(String row, String family, String value, long txn) {
    return Cell.put(bytes(row), bytes(family), Bytes.EMPTY, 5, bytes(value)).withTxn(txn);
  }

  static Cell eraseRow(String row, long txn) {
    return Cell.eraseRow(bytes(row)).withTxn(txn);
  }

  /** Rows {@code 000000, 000001, ..} from one number up to another, each of about 100 bytes. */
  static Cell[] rows(int from, int to, long txn) {
    Cell[] cells = new Cell[to - from];
    for (int i = from; i < to; i++) {
      cells[i - from] = put("%06d".formatted(i), "v".repeat(80), txn);
    }
    return cells;
  }

  FilePath write(Cell... cells) {
    FilePath path = server.names().create();
    try (FragmentWriter writer =
        new FragmentWriter(memory, path, new FragmentSettings(Codec.NONE, 512), path.hashCode())) {
      for (Cell cell : new TreeSet<>(List.of(cells))) {
        writer.add(cell.view());
      }
      writer.finish();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.names().settled(path);
    return path;
  }

  /** Appends a file to the chains of all tablets that have rows in it, as a flush does. */
  FilePath flush(Cell... cells) {
    FilePath path = write(cells);
    String group = table.view().schema().groups().getFirst().name();
    try (Table.Uses uses = table.uses()) {
      Optional<DiskFragment> file = Optional.of(uses.open(path));
      table.commit(view -> Optional.of(Flushed.of(view, group, List.of(), file)));
    }
    return path;
  }

  /** Puts cells in memory. */
  void commit(long txn, Cell... cells) {
    CellBatchBuilder batch = new CellBatchBuilder();
    for (Cell cell : cells) {
      batch.add(cell.withTxn(0));
    }
    table.view().groups().getFirst().active().add(batch.build().committed(txn));
  }

  boolean exists(FilePath path) {
    try {
      return memory.stat(path).isPresent();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int fileCount() {
    try {
      return memory.list(FilePath.of("fragments/1")).size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- tablets

  /** An active tablet with open files; {@code !} for no last row. */
  Tablet add(String first, String last, FilePath... paths) {
    return add(first, last, 0, List.of(paths).stream().map(FragmentRef::whole).toList());
  }

  Tablet add(String first, String last, long fromTxn, List<FragmentRef> refs) {
    Tablet tablet = new Tablet(table.name());
    SortedMap<String, List<FragmentRef>> chains = new TreeMap<>();
    if (!refs.isEmpty()) {
      chains.put(table.view().schema().groups().getFirst().name(), refs);
    }
    TabletView view =
        new TabletView(
            tablet,
            bytes(first),
            last.equals("!") ? Optional.empty() : Optional.of(bytes(last)),
            TabletState.ACTIVE,
            fromTxn,
            0,
            chains,
            Optional.empty(),
            List.of(),
            1);
    table.commit(new Added(List.of(view))).orElseThrow();
    warmer.warm(table, tablet);
    meta.put(last, configOf(table, view(tablet)));
    return tablet;
  }

  void setState(Tablet tablet, TabletState state) {
    ForcedState.set(server.lock(), table, tablet, state);
  }

  TabletView view(Tablet tablet) {
    return table.view().find(tablet).orElseThrow();
  }

  List<FilePath> chain(Tablet tablet) {
    return view(tablet).paths();
  }

  /** Tablets as {@code (first, last]}. */
  List<String> tablets() {
    return table.view().tablets().stream()
        .map(each -> "(" + each.first() + ", " + last(each.last()) + "]")
        .toList();
  }

  TabletConfig meta(String last) {
    return Objects.requireNonNull(meta.get(last));
  }

  /** META as {@code (first, last]}. */
  List<String> metaTablets() {
    return meta.values().stream()
        .map(each -> "(" + each.first() + ", " + last(each.last()) + "]")
        .toList();
  }

  static String last(Optional<Bytes> row) {
    return row.map(Bytes::toString).orElse("!");
  }

  /** What a reader sees in the tablet, as {@code row=value}. */
  List<String> read(Tablet tablet) {
    try (Borrowed borrowed = table.borrow()) {
      return read(borrowed.view(), borrowed.view().find(tablet).orElseThrow());
    }
  }

  List<String> read(TableView view, TabletView tablet) {
    List<String> seen = new ArrayList<>();
    Optional<CellCursor> cells =
        TabletReader.open(
            view,
            tablet,
            ReadPredicate.ALL,
            List.of(tablet.range()),
            Long.MAX_VALUE,
            clock.micros());
    if (cells.isPresent()) {
      try (CellCursor cursor = cells.get()) {
        while (cursor.next()) {
          seen.add(cursor.cell().row().toUtf8() + "=" + cursor.cell().toCell().value().toUtf8());
        }
      }
    }
    return seen;
  }

  /** Everything that all tablets have. */
  List<String> readAll() {
    List<String> all = new ArrayList<>();
    table.view().tablets().forEach(each -> all.addAll(read(each.tablet())));
    return all;
  }

  /** All cells of a tablet's only chain, erasures too. */
  List<Cell> stored(Tablet tablet) {
    List<Cell> cells = new ArrayList<>();
    Chain chain = view(tablet).chains().orElseThrow().getFirst();
    try (CellCursor cursor = chain.cursor(TimeBounds.ALL)) {
      while (!chain.links().isEmpty() && cursor.next()) {
        cells.add(cursor.cell().toCell());
      }
    }
    return cells;
  }

  // ---- META

  TabletConfig configOf(Table of, TabletView tablet) {
    return new TabletConfig(
        of.name(),
        tablet.first(),
        tablet.last(),
        "server:1",
        List.of(new LogRef(FilePath.of("logs/1"), tablet.fromTxn())),
        tablet.files(),
        ++revision);
  }

  @Override
  public CompletableFuture<Long> save(Table of, Collection<Tablet> tablets) {
    for (Tablet tablet : tablets) {
      of.view()
          .find(tablet)
          .ifPresent(each -> asyncSaves.add("(" + each.first() + ", " + last(each.last()) + "]"));
    }
    return asyncOutcome;
  }

  @Override
  public void save(Table of, List<TabletConfig> written, List<TabletKey> erased, Runnable inPlace) {
    Fate fate = fates.isEmpty() ? Fate.WRITTEN : fates.removeFirst();
    if (fate != Fate.LOST) {
      for (TabletConfig config : written) {
        TabletConfig before = meta.get(last(config.last()));
        if (before == null || before.revision() <= config.revision()) { // the newest cell counts
          meta.put(last(config.last()), config);
        }
      }
      erased.forEach(key -> meta.remove(last(key.last())));
    }
    if (fate != Fate.WRITTEN) {
      throw new OutcomeUnknownException("META does not answer");
    }
    inPlace.run();
    for (Tablet tablet : savedNext) {
      of.view().find(tablet).ifPresent(each -> meta.put(last(each.last()), configOf(of, each)));
    }
    savedNext.clear();
  }

  /** Collects what a listener of all tablets is told. */
  void listen() {
    table
        .events()
        .add(
            new TabletListener() {
              @Override
              public void onFragmentListUpdate(Tablet tablet, int group, int begin, int end) {
                told.add("files " + group + " [" + begin + ", " + end + ")");
              }

              @Override
              public void onRowRangeUpdate(Tablet tablet, Optional<RowRange> rows) {
                told.add("rows " + rows.map(Object::toString).orElse("none"));
              }
            },
            null);
  }

  @Override
  public void close() {
    memory.close();
  }

  /** Runs something once, when the next file is made. */
  void beforeNextFile(Runnable action) {
    onCreate =
        _ -> {
          onCreate = _ -> {};
          action.run();
        };
  }
}
