package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.base.event.Event;
import io.stele.base.file.FileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.Replicas;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.RowSample;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletInfo;
import io.stele.base.table.TabletLocation;
import io.stele.base.table.TabletLocator;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.engine.cache.BlockCache;
import io.stele.replicas.metadata.Coordination;
import io.stele.replicas.metadata.MetadataPeer;
import io.stele.replicas.push.LocalReplica;
import io.stele.replicas.push.ReplicaPeer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A server of replicated tables, on a local disk: the replicas that it has, and all tables as seen
 * from here.
 *
 * <pre>{@code
 * String id = ServerId.of(files, random); // what the server is registered as, with its address
 * try (ReplicaServer server = ReplicaServer.builder(files, coordination, peers).address(address).open()) {
 *   server.create("users", schema, List.of());
 *   server.apply("users", batch, Tables.ANY_TXN, true).join();
 * }
 * }</pre>
 */
public final class ReplicaServer
    implements Tables, TableAdmin, TabletLocator, Replicas, AutoCloseable {
  private static final int PAGE_BYTES = 256 << 10;

  private final Machinery machinery;
  private final Writes writes;
  private final Reads reads;
  private final Administration administration;
  private final Inspection inspection;
  private final Comparison comparison;

  private ReplicaServer(Builder builder) {
    this.machinery = new Machinery(builder);
    this.writes = new Writes(machinery);
    this.reads = new Reads(machinery, writes);
    this.administration = new Administration(machinery);
    this.inspection = new Inspection(machinery);
    this.comparison = new Comparison(machinery);
  }

  /**
   * Starts to describe a server.
   *
   * @param files of a local directory, which it has to itself; they stay the caller's to close
   * @param coordination where tables and live servers are found; need not answer yet
   * @param peers the other servers, by the addresses with which they are registered
   */
  public static Builder builder(FileStore files, Coordination coordination, Peers peers) {
    return new Builder(files, coordination, peers);
  }

  /** What a server is made of. */
  public static final class Builder {
    final FileStore files;
    final Coordination coordination;
    final Peers peers;
    ReplicaSettings settings = ReplicaSettings.DEFAULT;
    String address = "local";
    Clock clock = Clock.system();
    RandomGenerator random = RandomSource.system();
    BlockCache cache = new BlockCache(DEFAULT_CACHE_BYTES);
    Consumer<? super Event> events = _ -> {};
    boolean waits = true;

    private static final long DEFAULT_CACHE_BYTES = 64L << 20;

    private Builder(FileStore files, Coordination coordination, Peers peers) {
      this.files = files;
      this.coordination = coordination;
      this.peers = peers;
    }

    public Builder settings(ReplicaSettings value) {
      settings = value;
      return this;
    }

    /** {@code HOST:PORT}, as clients and other servers reach it. */
    public Builder address(String value) {
      address = value;
      return this;
    }

    public Builder clock(Clock value) {
      clock = value;
      return this;
    }

    /**
     * For names that must be unique, and for pauses. Any number of threads must be able to use it.
     */
    public Builder random(RandomGenerator value) {
      random = value;
      return this;
    }

    public Builder cache(BlockCache value) {
      cache = value;
      return this;
    }

    /** Told of everything that happens, on the thread on which it does; what it throws is lost. */
    public Builder events(Consumer<? super Event> value) {
      events = value;
      return this;
    }

    /** Does not wait for the coordination service, which may not be there for long. */
    public Builder withoutWaiting() {
      waits = false;
      return this;
    }

    /** Starts it; its replicas are served as soon as the coordination service has been asked. */
    public ReplicaServer open() {
      ReplicaServer server = new ReplicaServer(this);
      server.machinery.start(waits);
      return server;
    }
  }

  /** Of its data directory. */
  public String id() {
    return machinery.id();
  }

  /**
   * Makes sure that the coordination service is that of the cluster to which this server belongs:
   * it must not be registered in another one.
   *
   * @throws io.stele.base.error.UnavailableException if it is not, or does not answer
   */
  public void checkCluster() {
    machinery.metadata().settle();
  }

  /** What it did and has; for metrics. */
  public ReplicaFigures figures() {
    return machinery.figures();
  }

  /** What other servers ask of it about METADATA files. */
  public MetadataPeer metadataPeer() {
    return machinery.metadata();
  }

  /** What other servers ask of it about its replicas. */
  public ReplicaPeer replicaPeer() {
    return machinery.host();
  }

  /** Does now what is else done every now and then. */
  public void runUpkeep() {
    machinery.upkeep();
  }

  /** Writes down how far everybody is, and stops. */
  @Override
  public void close() {
    machinery.close(true);
  }

  /** Stops without writing anything down, as a crash would. */
  public void abandon() {
    machinery.close(false);
  }

  /** For tests in this package: the parts behind the requests. */
  Machinery machinery() {
    return machinery;
  }

  /** Failures are in the future, whenever they show. */
  private static <T> CompletableFuture<T> attempt(Supplier<CompletableFuture<T>> attempt) {
    try {
      return attempt.get();
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private InvalidRequestException notOffered(String table, String what) {
    machinery.table(table); // if there is none, that is what is wrong
    return new InvalidRequestException(
        "table \"" + table + "\" is a replicated table, which has no " + what);
  }

  // ---- rows

  @Override
  public Tables at(Consistency consistency) {
    return consistency.equals(Consistency.DEFAULT) ? this : new TablesAtLevel(this, consistency);
  }

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return apply(table, cells, commitMaxTxn, waitForSync, Consistency.DEFAULT.acks());
  }

  CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync, Acks acks) {
    return attempt(
        () -> {
          if (commitMaxTxn != ANY_TXN) {
            throw notOffered(table, "row transactions: a change cannot depend on one before it");
          }
          // Whether or not it may be answered before: a failure that shows later has nobody to
          // tell.
          return writes.apply(table, cells, acks);
        });
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    return applyRows(table, rows, Consistency.DEFAULT.acks());
  }

  CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows, Acks acks) {
    return attempt(
        () -> {
          machinery.table(table);
          List<CompletableFuture<RowOutcome>> outcomes = new ArrayList<>(rows.size());
          for (CellBatch row : rows) {
            outcomes.add(
                attempt(() -> writes.apply(table, row, acks)).handle(ReplicaServer::outcome));
          }
          return CompletableFuture.allOf(outcomes.toArray(CompletableFuture<?>[]::new))
              .thenApply(_ -> outcomes.stream().map(CompletableFuture::join).toList());
        });
  }

  private static RowOutcome outcome(Long txn, @Nullable Throwable failure) {
    if (failure == null) {
      return RowOutcome.committed(txn);
    }
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof SteleException known) {
      return RowOutcome.failed(known);
    }
    throw new CompletionException(cause);
  }

  /** Waits until all changes that replicas here have are durable. */
  @Override
  public CompletableFuture<Long> sync(long txn) {
    return attempt(
        () ->
            CompletableFuture.allOf(
                    machinery.host().replicas().stream()
                        .map(LocalReplica::store)
                        .map(store -> store.whenDurable(store.sequence()))
                        .toArray(CompletableFuture<?>[]::new))
                .thenApply(_ -> txn));
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    return attempt(
        () -> {
          throw notOffered(
              table, "conditional changes: replicas take writes without asking each other");
        });
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    return attempt(
        () -> {
          throw notOffered(
              table, "read-modify-write: replicas take writes without asking each other");
        });
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    return deleteRows(table, rows, Consistency.DEFAULT);
  }

  long deleteRows(String table, RowRange rows, Consistency level) {
    // A replica may lack rows that were acknowledged: a deletion that is to be sure finds them all.
    Consistency.Reads reading =
        level.acks() == Acks.ONE ? level.reads() : Consistency.Reads.MAJORITY;
    long count = 0;
    ScanOptions latest = ScanOptions.DEFAULT.withLatest(true);
    ReadPredicate newest = ReadPredicate.rows(rows).withHistory(1);
    try (TableScan scan = reads.scan(table, newest, latest, reading)) {
      Bytes erased = Bytes.EMPTY;
      CellPage page;
      do {
        page = scan.next(PAGE_BYTES);
        List<CellBatch> erasures = new ArrayList<>();
        if (page.cells().isPresent()) {
          CellBatch.Reader reader = page.cells().get().read();
          while (reader.next()) {
            CellView cell = reader.cell();
            if (erased.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) != 0) {
              erased = cell.row();
              erasures.add(new CellBatchBuilder().add(Cell.eraseRow(erased)).build());
              count++;
            }
          }
        }
        for (RowOutcome outcome : await(applyRows(table, erasures, level.acks()))) {
          if (outcome.failure().isPresent()) {
            throw outcome.failure().get();
          }
        }
      } while (page.more());
    }
    return count;
  }

  private static <T> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof SteleException known) {
        throw known;
      }
      throw e;
    }
  }

  @Override
  public void truncate(String table) {
    throw notOffered(table, "truncation: drop it and make it again, or delete its rows");
  }

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    return read(table, predicate, options, maxBytes, Consistency.DEFAULT.reads());
  }

  CompletableFuture<CellPage> read(
      String table,
      ReadPredicate predicate,
      ScanOptions options,
      int maxBytes,
      Consistency.Reads level) {
    return attempt(
        () ->
            CompletableFuture.completedFuture(
                reads.read(table, predicate, options, maxBytes, level)));
  }

  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    return scan(table, predicate, options, Consistency.DEFAULT.reads());
  }

  TableScan scan(
      String table, ReadPredicate predicate, ScanOptions options, Consistency.Reads level) {
    return reads.scan(table, predicate, options, level);
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    return administration.sampleRows(table);
  }

  // ---- tables

  @Override
  public void create(String table, TableSchema schema, List<Bytes> splits) {
    administration.create(table, schema, splits);
  }

  @Override
  public List<String> list(boolean withMeta) {
    return administration.list();
  }

  @Override
  public TableSchema schema(String table) {
    return machinery.newest(table).config().schema();
  }

  @Override
  public List<TabletInfo> tablets(String table) {
    return administration.tablets(table);
  }

  @Override
  public void alter(String table, Optional<TableSchema> expected, TableSchema schema) {
    administration.alter(table, expected, schema);
  }

  @Override
  public void drop(String table) {
    administration.drop(table);
  }

  @Override
  public Bytes split(String table, Bytes at, Bytes row) {
    return administration.split(table, at, row);
  }

  @Override
  public void join(String table, Bytes row) {
    throw notOffered(table, "joining of partitions");
  }

  @Override
  public void flush(String table) {
    administration.upkeep(table, false);
  }

  @Override
  public void compact(String table) {
    administration.upkeep(table, true);
  }

  @Override
  public void copy(String source, String target) {
    throw notOffered(source, "copies: each replica has files of its own, on its own disk");
  }

  @Override
  public List<MetaProblem> verifyMeta(String table) {
    throw notOffered(table, "META rows: see its METADATA");
  }

  @Override
  public List<MetaProblem> repairMeta(String table, boolean apply) {
    throw notOffered(table, "META rows: see its METADATA");
  }

  @Override
  public void loadFixedTable(String table, String configFile) {
    throw new InvalidRequestException(
        "table \"" + table + "\" cannot be a fixed one: replicated tables are not kept in a file");
  }

  @Override
  public void unloadTable(String table) {
    throw notOffered(table, "unloading: its replicas are served wherever they are");
  }

  @Override
  public void loadTable(String table) {
    throw notOffered(table, "loading: its replicas are served wherever they are");
  }

  @Override
  public void setMetaLocation(String address) {
    throw new InvalidRequestException(
        "META0 at \"" + address + "\": replicated tables are not recorded in META");
  }

  @Override
  public List<TabletLocation> locate(String table, Bytes row, int most) {
    return administration.locate(table, row, most);
  }

  // ---- replicas

  @Override
  public Replicas.Status status(String table) {
    return inspection.status(table);
  }

  @Override
  public Replicas.Metadata metadata(String table) {
    return inspection.metadata(table);
  }

  @Override
  public void joinMetadata(String table, String server) {
    administration.joinMetadata(table, server);
  }

  @Override
  public void removeMetadata(String table, String server) {
    administration.removeMetadata(table, server);
  }

  @Override
  public List<String> removeServer(String table, String server) {
    return administration.removeServer(table, server);
  }

  @Override
  public List<String> adopt(boolean force) {
    return machinery.metadata().adoptEverywhere(force);
  }

  @Override
  public List<Difference> verify(String table, RowRange rows) {
    return comparison.verify(table, rows);
  }

  @Override
  public long repair(String table, RowRange rows) {
    return comparison.repair(table, rows);
  }
}
