package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.NotServingException;
import io.stele.base.file.FileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
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
import io.stele.replicas.push.ReplicaEvent;
import io.stele.replicas.push.ReplicaPeer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

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
  private final String id;

  private ReplicaServer(Builder builder) {
    this.id = ServerId.of(builder.files, builder.random);
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
    Consumer<ReplicaEvent> events = _ -> {};

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
    public Builder events(Consumer<ReplicaEvent> value) {
      events = value;
      return this;
    }

    /** Starts it; its replicas are served as soon as the coordination service has been asked. */
    public ReplicaServer open() {
      return new ReplicaServer(this);
    }
  }

  /** Of its data directory. */
  public String id() {
    return id;
  }

  /** What other servers ask of it about METADATA files. */
  public MetadataPeer metadataPeer() {
    throw notYet();
  }

  /** What other servers ask of it about its replicas. */
  public ReplicaPeer replicaPeer() {
    throw notYet();
  }

  /** Does now what is else done every now and then. */
  public void runUpkeep() {}

  /** Writes down how far everybody is, and stops. */
  @Override
  public void close() {}

  /** Stops as a crash would. */
  public void abandon() {}

  private NotServingException notYet() {
    return new NotServingException("server " + id + " does not serve replicated tables yet");
  }

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    throw notYet();
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    throw notYet();
  }

  @Override
  public CompletableFuture<Long> sync(long txn) {
    throw notYet();
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    throw notYet();
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    throw notYet();
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    throw notYet();
  }

  @Override
  public void truncate(String table) {
    throw notYet();
  }

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    throw notYet();
  }

  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    throw notYet();
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    throw notYet();
  }

  @Override
  public void create(String table, TableSchema schema, List<Bytes> splits) {
    throw notYet();
  }

  @Override
  public List<String> list(boolean withMeta) {
    throw notYet();
  }

  @Override
  public TableSchema schema(String table) {
    throw notYet();
  }

  @Override
  public List<TabletInfo> tablets(String table) {
    throw notYet();
  }

  @Override
  public void alter(String table, TableSchema schema) {
    throw notYet();
  }

  @Override
  public void drop(String table) {
    throw notYet();
  }

  @Override
  public Bytes split(String table, Bytes at, Bytes row) {
    throw notYet();
  }

  @Override
  public void join(String table, Bytes row) {
    throw notYet();
  }

  @Override
  public void flush(String table) {
    throw notYet();
  }

  @Override
  public void compact(String table) {
    throw notYet();
  }

  @Override
  public List<MetaProblem> verifyMeta(String table) {
    throw notYet();
  }

  @Override
  public List<MetaProblem> repairMeta(String table, boolean apply) {
    throw notYet();
  }

  @Override
  public void loadFixedTable(String table, String configFile) {
    throw notYet();
  }

  @Override
  public void unloadTable(String table) {
    throw notYet();
  }

  @Override
  public void loadTable(String table) {
    throw notYet();
  }

  @Override
  public void setMetaLocation(String address) {
    throw notYet();
  }

  @Override
  public List<TabletLocation> locate(String table, Bytes row, int most) {
    throw notYet();
  }

  @Override
  public Replicas.Status status(String table) {
    throw notYet();
  }

  @Override
  public Replicas.Metadata metadata(String table) {
    throw notYet();
  }

  @Override
  public List<Difference> verify(String table, RowRange rows) {
    throw notYet();
  }

  @Override
  public long repair(String table, RowRange rows) {
    throw notYet();
  }
}
