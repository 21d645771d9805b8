package io.stele.tables;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.file.FileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.RowSample;
import io.stele.base.table.RowsDeleted;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.StoredFiles;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletInfo;
import io.stele.base.table.TabletLocator;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.engine.cache.BlockCache;
import io.stele.tables.event.TableEvent;
import io.stele.tables.load.TabletProbe;
import io.stele.tables.master.LiveServer;
import io.stele.tables.master.TabletControl;
import io.stele.tables.meta.MetaLocator;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.RootStore;
import io.stele.tables.tablet.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A tablet server: tables in a file store, with META0 and META1 among them.
 *
 * <pre>{@code
 * try (TabletServer server = TabletServer.builder(files, root).open()) {
 *   server.create("users", TableSchema.ofFamilies("name"), List.of());
 *   server.apply("users", batch, Tables.ANY_TXN, true).join();
 * }
 * }</pre>
 *
 * <p>Layout of the file store: {@code SERVER} (the number of the last run), {@code FIXED} (the
 * tables apart from META), {@code log/RUN/*.log}, {@code fragments/RUN/*.frag}.
 *
 * <p>Alone, it has its files to itself and loads all that META has. In a cluster ({@link
 * Builder#cluster}) the files are shared, it loads what it is told to ({@link #control}), META may
 * be anywhere, and it answers only as long as it holds its lease.
 *
 * <p>Threads: any number may call. Its own are the log, the acknowledger, the flusher, the
 * compactor, three that save configurations, and one for upkeep.
 */
public final class TabletServer implements Tables, TableAdmin, AutoCloseable {
  private final Machinery machinery;
  private final AdminOperations admin;
  private final TabletControl control;
  private final TabletLocator locator;

  private TabletServer(Builder builder) {
    this.machinery = new Machinery(builder);
    this.admin = new AdminOperations(machinery);
    this.control =
        new ControlledTablets(
            machinery, admin, new LiveServer(machinery.home().log().name(), builder.address));
    this.locator = machinery.isInCluster() ? new MetaLocator(machinery.meta()) : admin::locateAlone;
  }

  /**
   * Starts to describe a server.
   *
   * @param files it has to itself; they stay the caller's to close, after the server
   * @param root where META0's configuration is kept
   */
  public static Builder builder(FileStore files, RootStore root) {
    return new Builder(files, root);
  }

  /** What a server is made of. */
  public static final class Builder {
    final FileStore files;
    final RootStore root;
    TabletServerSettings settings = TabletServerSettings.DEFAULT;
    String address = "local";
    Clock clock = Clock.system();
    RandomGenerator random = RandomSource.system();
    BlockCache cache = new BlockCache(DEFAULT_CACHE_BYTES);
    Consumer<TableEvent> events = _ -> {};
    TabletProbe probe = TabletProbe.ALONE;
    Optional<ClusterPlace> place = Optional.empty();

    private static final long DEFAULT_CACHE_BYTES = 256L << 20;

    private Builder(FileStore files, RootStore root) {
      this.files = files;
      this.root = root;
    }

    public Builder settings(TabletServerSettings value) {
      settings = value;
      return this;
    }

    /** {@code HOST:PORT}, as clients reach it. */
    public Builder address(String value) {
      address = value;
      return this;
    }

    public Builder clock(Clock value) {
      clock = value;
      return this;
    }

    /** For file ids. */
    public Builder random(RandomGenerator value) {
      random = value;
      return this;
    }

    public Builder cache(BlockCache value) {
      cache = value;
      return this;
    }

    /** Told of everything that happens, on the thread on which it does; what it throws is lost. */
    public Builder events(Consumer<TableEvent> value) {
      events = value;
      return this;
    }

    /** Makes it one of several servers with the same files. */
    public Builder cluster(ClusterPlace value) {
      place = Optional.of(value);
      return this;
    }

    /**
     * Asked whether another server still has a tablet before it is loaded; in a cluster: whether
     * the run lives that its newest log is of.
     */
    public Builder probe(TabletProbe value) {
      probe = value;
      return this;
    }

    /**
     * Starts it: META is loaded when this returns, all other tables soon after. In a cluster
     * nothing is.
     */
    public TabletServer open() {
      TabletServer server = new TabletServer(this);
      boolean started = false;
      try {
        server.machinery.start();
        started = true;
        return server;
      } finally {
        if (!started) {
          server.machinery.abandon();
        }
      }
    }
  }

  /** What a master, and other servers of a cluster, ask of it. */
  public TabletControl control() {
    return control;
  }

  /** Where tablets are: alone, all are here. */
  public TabletLocator locator() {
    return locator;
  }

  /** What it did and has; for metrics. */
  public ServerFigures figures() {
    return machinery.figures();
  }

  /** META as this server reaches it. */
  public MetaTable meta() {
    return machinery.meta();
  }

  /** For tests in this package: the parts behind the requests. */
  Machinery machinery() {
    return machinery;
  }

  private Table table(String name) {
    return machinery.tables().await(name);
  }

  /** Tables as a whole are not one server's affair where there are several. */
  private void checkAlone(String what) {
    if (machinery.isInCluster()) {
      throw new NotServingException(
          what + " is for the master of the cluster to do, not for one of its servers");
    }
  }

  private Table writable(String name) {
    Table table = table(name);
    if (table.isMeta()) {
      throw new InvalidRequestException(
          "table \"" + name + "\" describes all others, and is not to be written by hand");
    }
    return table;
  }

  /** Failures are in the future, whenever they show. */
  private static <T> CompletableFuture<T> attempt(Attempt<T> attempt) {
    try {
      return attempt.start();
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private interface Attempt<T> {
    CompletableFuture<T> start();
  }

  // ---- rows

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return attempt(
        () -> machinery.writes().apply(writable(table), cells, commitMaxTxn, waitForSync));
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    return attempt(
        () -> {
          Table target = writable(table);
          List<CompletableFuture<RowOutcome>> outcomes = new ArrayList<>(rows.size());
          for (CellBatch row : rows) {
            outcomes.add(applyRow(target, row));
          }
          return CompletableFuture.allOf(outcomes.toArray(CompletableFuture<?>[]::new))
              .thenApply(_ -> outcomes.stream().map(CompletableFuture::join).toList());
        });
  }

  private CompletableFuture<RowOutcome> applyRow(Table table, CellBatch row) {
    return attempt(() -> machinery.writes().apply(table, row, ANY_TXN, true))
        .handle(
            (txn, failure) ->
                failure == null ? RowOutcome.committed(txn) : RowOutcome.failed(known(failure)));
  }

  private static SteleException known(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof SteleException stele) {
      return stele;
    }
    throw new CompletionException(cause);
  }

  @Override
  public CompletableFuture<Long> sync(long txn) {
    return attempt(
        () -> {
          long newest = machinery.parts().sequencer().assigned();
          return machinery.writes().whenDurable(Math.min(txn, newest));
        });
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    return attempt(() -> machinery.rows().checkAndMutate(writable(table), request));
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    return attempt(() -> machinery.rows().readModifyWrite(writable(table), row, rules));
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    return machinery.rows().deleteRows(writable(table), rows);
  }

  @Override
  public RowsDeleted deleteServedRows(String table, RowRange rows) {
    return machinery.rows().deleteServedRows(writable(table), rows);
  }

  @Override
  public void truncate(String table) {
    machinery.lifecycle().truncate(table);
  }

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    return attempt(
        () ->
            CompletableFuture.completedFuture(
                machinery.scanners().read(table(table), predicate, options, maxBytes)));
  }

  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    return machinery.scanners().open(table(table), predicate, options);
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    List<RowSample> samples = admin.sampleRows(table(table));
    machinery.parts().sequencer().checkLease();
    return samples;
  }

  // ---- tables

  @Override
  public void create(String table, TableSchema schema, List<Bytes> splits) {
    checkAlone("to make table \"" + table + "\"");
    machinery.lifecycle().create(table, schema, splits);
  }

  @Override
  public List<String> list(boolean withMeta) {
    return admin.list(withMeta);
  }

  @Override
  public TableSchema schema(String table) {
    return table(table).view().schema();
  }

  @Override
  public List<TabletInfo> tablets(String table) {
    return admin.tablets(table(table));
  }

  @Override
  public void alter(String table, Optional<TableSchema> expected, TableSchema schema) {
    checkAlone("to change table \"" + table + "\"");
    machinery.lifecycle().alter(table, expected, schema);
  }

  @Override
  public void drop(String table) {
    checkAlone("to drop table \"" + table + "\"");
    machinery.lifecycle().drop(table);
  }

  @Override
  public void copy(String source, String target) {
    checkAlone("to copy table \"" + source + "\"");
    machinery.lifecycle().copy(source, target);
  }

  @Override
  public Bytes split(String table, Bytes at, Bytes row) {
    return admin.split(table(table), at, row);
  }

  @Override
  public void join(String table, Bytes row) {
    admin.join(table(table), row);
  }

  @Override
  public void flush(String table) {
    machinery.flusher().flush(table(table));
  }

  @Override
  public void compact(String table) {
    machinery.compactor().compactAll(table(table));
  }

  @Override
  public List<MetaProblem> verifyMeta(String table) {
    return admin.verify(table);
  }

  @Override
  public List<MetaProblem> repairMeta(String table, boolean apply) {
    return admin.repair(table, apply);
  }

  @Override
  public void loadFixedTable(String table, String configFile) {
    if (machinery.isInCluster()) {
      throw new InvalidRequestException(
          "table \"" + table + "\" cannot be a fixed one: only a server alone has such tables");
    }
    admin.loadFixed(table, configFile);
  }

  @Override
  public void unloadTable(String table) {
    checkAlone("to unload table \"" + table + "\"");
    machinery.lifecycle().unloadTable(table);
  }

  @Override
  public void loadTable(String table) {
    checkAlone("to load table \"" + table + "\"");
    machinery.lifecycle().loadTable(table);
  }

  @Override
  public void setMetaLocation(String address) {
    checkAlone("to move META0");
    admin.setMetaLocation(address);
  }

  /** Puts the schema into force that META has, if somebody changed it there. */
  public void reloadSchema(String table) {
    machinery.lifecycle().reloadSchema(table);
  }

  /** Files of a server alone that nothing needs any more. */
  public StoredFiles storedFiles() {
    checkAlone("to collect files");
    return machinery.gc();
  }

  /** Does now what is else done every now and then: see {@link TabletServerSettings#upkeep}. */
  public void runUpkeep() {
    machinery.upkeep();
  }

  /** Waits until all tables have been loaded that META has. */
  public void awaitLoaded() {
    machinery.awaitLoaded();
  }

  /** Fails when the log, or the right to answer, has: then nothing is acknowledged any more. */
  public CompletableFuture<?> failure() {
    return machinery.parts().sequencer().unlessFailed(new CompletableFuture<>());
  }

  /** Bytes that mem fragments take. */
  public long memoryBytes() {
    return machinery.memoryBytes();
  }

  /**
   * Unloads all tables, so that the next start has nothing to replay, and stops. Scans that are
   * open end.
   */
  @Override
  public void close() {
    machinery.close();
  }

  /**
   * Stops without unloading anything, as a crash would: for a server that has lost its lease, whose
   * tablets others take.
   */
  public void abandon() {
    machinery.abandon();
  }
}
