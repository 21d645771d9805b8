package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchWriter;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.file.FileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.time.Clock;
import io.stele.engine.Scan;
import io.stele.engine.Snapshot;
import io.stele.engine.Store;
import io.stele.engine.StoreEvent;
import io.stele.engine.StoreSettings;
import io.stele.engine.StoredScan;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.chain.Link;
import io.stele.engine.commitlog.StoreLog;
import io.stele.engine.fragment.Fragment;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * A replica in a {@link Store} of its own that is resolved by time. A change's sequence is the
 * transaction with which the store committed it.
 *
 * <p>Cells of families that the schema does not have are left out: they are of a family that was
 * removed while they were on their way.
 */
public final class EnginePartition implements PartitionStore {
  private final String name;
  private final StoreSettings base;
  private final Store store;
  private final Durability durability;
  private final UnflushedMemory memory;
  private final Set<PartitionScan> scans = ConcurrentHashMap.newKeySet();

  // Changes of cells share it; a change of the schema has it alone.
  private final ReentrantReadWriteLock schemas = new ReentrantReadWriteLock();
  private volatile ReplicaSchema schema;
  private volatile boolean closed;

  private EnginePartition(
      String name,
      StoreSettings base,
      Store store,
      Durability durability,
      UnflushedMemory memory,
      ReplicaSchema schema) {
    this.name = name;
    this.base = base;
    this.store = store;
    this.durability = durability;
    this.memory = memory;
    this.schema = schema;
  }

  /**
   * Opens a replica.
   *
   * @param name for messages
   * @param files of its directory; they stay the caller's to close
   * @param log where changes go
   * @param settings of log and compaction
   * @param memory that the changes of all replicas share until they are in files
   */
  static EnginePartition open(
      String name,
      FileStore files,
      StoreLog.Opener log,
      TableSchema tableSchema,
      StoreSettings settings,
      UnflushedMemory memory,
      BlockCache cache,
      Clock clock,
      RandomGenerator random,
      Consumer<StoreEvent> events,
      long sequence,
      LongSupplier confirmed) {
    ReplicaSchema schema = new ReplicaSchema(tableSchema);
    Durability durability = new Durability(name);
    Store store =
        new Store.Builder(files)
            .settings(schema.settings(settings))
            .memoryUse(memory::changed)
            .cache(cache)
            .clock(clock)
            .random(random)
            .events(events)
            .log(log)
            .progress(durability)
            .startBehind(sequence)
            .keepErasuresBehind(confirmed)
            .open();
    EnginePartition partition =
        new EnginePartition(name, settings, store, durability, memory, schema);
    try {
      partition.restrict(schema);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
    memory.opened(partition);
    return partition;
  }

  // ---- writing

  @Override
  public CompletableFuture<Long> apply(CellBatch cells) {
    try {
      long sequence = add(cells);
      return sequence == 0
          ? CompletableFuture.completedFuture(store.durableTxn())
          : durability.whenDurable(sequence);
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public long add(CellBatch cells) {
    return memory.admitting(cells.length(), () -> addAdmitted(cells));
  }

  private long addAdmitted(CellBatch cells) {
    schemas.readLock().lock();
    try {
      return own(cells).map(own -> store.submit(own, true)).orElse(0L);
    } finally {
      schemas.readLock().unlock();
    }
  }

  @Override
  public boolean takes(CellBatch cells) {
    ReplicaSchema current = schema;
    if (current.takesAll()) {
      return true;
    }
    CellBatch.Reader reader = cells.read();
    while (reader.next()) {
      if (!current.takes(reader.cell())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public CompletableFuture<Long> whenDurable(long sequence) {
    return sequence <= store.durableTxn()
        ? CompletableFuture.completedFuture(sequence)
        : durability.whenDurable(sequence);
  }

  @Override
  public Optional<Throwable> failure() {
    return durability.failure();
  }

  /** A copy, which the store may stamp, of the cells that belong here. */
  private Optional<CellBatch> own(CellBatch cells) {
    ReplicaSchema current = schema;
    CellBatch.Reader reader = cells.read();
    CellView cell = reader.cell();
    boolean all = true;
    while (reader.next()) {
      checkTime(cell);
      all &= current.takes(cell);
    }
    if (all) {
      byte[] copy = cells.toArray();
      return Optional.of(CellBatch.trusted(copy, 0, copy.length));
    }
    CellBatchWriter taken = new CellBatchWriter(cells.length());
    CellBatch.Reader again = cells.read();
    while (again.next()) {
      if (current.takes(again.cell())) {
        taken.add(again.cell());
      }
    }
    return taken.finish(0);
  }

  private void checkTime(CellView cell) {
    boolean timeless =
        cell.kind == CellKind.PUT
            ? cell.timestamp == Cell.SERVER_TIME
            : cell.kind.isWide() && !cell.hasRange();
    if (timeless) {
      throw new InvalidRequestException(
          "cell " + cell + " for replica " + name + " has no time: must have got one before");
    }
  }

  @Override
  public long sequence() {
    return store.assignedTxn();
  }

  @Override
  public boolean hasAll(CellBatch cells) {
    return own(cells).map(store::hasAll).orElse(true);
  }

  // ---- reading

  @Override
  public CellPage read(ReadPredicate predicate, ScanOptions options, int maxBytes) {
    if (options.atTxn() != 0) {
      try (TableScan scan = scan(predicate, options)) {
        return scan.next(maxBytes);
      }
    }
    // What one scan reads in one go needs no snapshot: it keeps its files.
    try (Scan cells = store.scan(predicate, level(options))) {
      return new PageWriter(predicate, options).fill(cells, maxBytes);
    }
  }

  @Override
  public TableScan scan(ReadPredicate predicate, ScanOptions options) {
    PartitionScan scan = new PartitionScan(this, predicate, options, snapshot(options));
    scans.add(scan);
    if (closed) {
      scan.close();
    }
    return scan;
  }

  private Snapshot snapshot(ScanOptions options) {
    if (options.atTxn() == 0) {
      return store.snapshot(level(options));
    }
    return store
        .snapshotAt(options.atTxn())
        .orElseThrow(
            () ->
                new NotFoundException(
                    "transaction " + options.atTxn() + " is not held open by a scan any more"));
  }

  private static Store.Read level(ScanOptions options) {
    return options.latest() ? Store.Read.LATEST : Store.Read.DURABLE;
  }

  Scan open(ReadPredicate predicate, Snapshot snapshot) {
    return store.scan(predicate, snapshot);
  }

  String name() {
    return name;
  }

  void ended(PartitionScan scan) {
    scans.remove(scan);
  }

  @Override
  public Changes changesSince(long sequence, RowRange rows) {
    return new StoredChanges(store.stored(rows, sequence));
  }

  @Override
  public long takeOver(PartitionStore other, RowRange rows, long upTo, BooleanSupplier cancelled) {
    if (!(other instanceof EnginePartition source)) {
      throw new InvalidRequestException("replica " + name + " can take over from a store alone");
    }
    long cells;
    try (StoredScan scan = source.store.stored(rows, 0, upTo)) {
      cells = store.adopt(scan, cancelled);
    }
    schemas.writeLock().lock();
    try {
      restrict(schema); // families may have been removed meanwhile
    } finally {
      schemas.writeLock().unlock();
    }
    return cells;
  }

  @Override
  public StoredCells stored(ReadPredicate predicate, int maxBytes) {
    RowRange rows =
        new RowRange(predicate.rows().getFirst().from(), predicate.rows().getLast().to());
    try (StoredScan scan = store.stored(rows, 0)) {
      return new StoredPacker(scan, predicate).nextRows(maxBytes);
    }
  }

  @Override
  public List<Digest> digests(RowRange rows, List<Bytes> cuts) {
    try (Scan scan = store.scan(ReadPredicate.rows(rows))) {
      return new DigestWriter(cuts).digest(scan);
    }
  }

  @Override
  public List<Bytes> cuts(RowRange rows, int pieces) {
    return new Cuts(store, rows).find(pieces);
  }

  // ---- upkeep

  @Override
  public long bytes() {
    return store.chain().fragments().stream().mapToLong(Fragment::bytes).sum();
  }

  @Override
  public void alter(TableSchema changed) {
    ReplicaSchema next = new ReplicaSchema(changed);
    schemas.writeLock().lock();
    try {
      schema = next;
      store.configure(next.settings(base));
      restrict(next);
    } finally {
      schemas.writeLock().unlock();
    }
  }

  /** Hides the families that are not in the schema, if there are cells of any. */
  private void restrict(ReplicaSchema current) {
    if (current.takesAll()) {
      return;
    }
    Set<Bytes> present = new HashSet<>();
    for (Link link : store.chain().links()) {
      Set<Bytes> families = new HashSet<>(link.fragment().families());
      link.families().ifPresent(families::retainAll);
      present.addAll(families);
    }
    if (!current.families().containsAll(present)) {
      store.restrict(current.families());
    }
  }

  @Override
  public void flush() {
    store.flush();
  }

  @Override
  public void compact() {
    store.flush();
    store.compact();
  }

  /** Bytes that a flush would free. */
  long unflushedBytes() {
    return store.memoryBytes();
  }

  /** Merges the files alone. */
  void compactFiles() {
    store.compact();
  }

  @Override
  public void close() {
    closed = true;
    memory.closed(this);
    scans.forEach(PartitionScan::close);
    store.close();
  }
}
