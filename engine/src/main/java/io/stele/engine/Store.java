package io.stele.engine;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.LocalFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.commitlog.CommitLog;
import io.stele.engine.commitlog.LogReplay;
import io.stele.engine.commitlog.StoreLog;
import io.stele.engine.compaction.CompactionJob;
import io.stele.engine.compaction.CompactionPolicy;
import io.stele.engine.memory.MemFragment;
import io.stele.engine.merge.ErasureExpiry;
import io.stele.engine.merge.History;
import io.stele.engine.merge.HistoryFloor;
import io.stele.engine.merge.Older;
import io.stele.engine.merge.Resolution;
import io.stele.engine.merge.SnapshotSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One sorted, versioned set of cells in a directory: a commit log, mem fragments and a chain of
 * disk fragments. Usable as a library on its own.
 *
 * <pre>{@code
 * try (Store store = Store.open(Path.of("data"))) {
 *   store.apply(new CellBatchBuilder().put(row, family, qualifier, micros, value).build());
 *   Optional<Bytes> found = store.get(row, family, qualifier);
 * }
 * }</pre>
 *
 * <p>Layout of the directory: {@code MANIFEST}, {@code fragments/*.frag}, {@code log/*.log}.
 *
 * <p>Threads: any number may call. Writers take turns in one short critical section (assign the
 * transaction, add to the mem fragment, queue for the log) and then wait for the log together.
 * Readers take no lock. Three threads of the store's own: the log, the flusher, the compactor.
 *
 * <p>Transactions: {@code assigned >= durable}. Readers see what is durable, unless they ask for
 * the {@linkplain Read#LATEST latest}. Without a log of its own ({@link StoreSettings#logged})
 * there is no difference.
 */
public final class Store implements AutoCloseable {
  /** What a read is to see. */
  public enum Read {
    /** All that is durable. */
    DURABLE,
    /** Also what has been committed and is on its way to disk. */
    LATEST
  }

  private static final FilePath LOG = FilePath.of("log");

  private final FileStore files;
  private final boolean ownsFiles;
  private volatile StoreSettings settings;
  private final Clock clock;
  private final RandomGenerator random;
  private final Consumer<StoreEvent> events;
  private final ChainKeeper keeper;
  private final @Nullable StoreLog log;
  private final Flusher flusher;
  private final Compactor compactor;
  private final ReadPath reads;
  private final SnapshotRegistry snapshots = new SnapshotRegistry(this::snapshotClosed);
  private final History history;
  private final HistoryFloors floors = new HistoryFloors();
  private final TxnMarker marker;
  private final LongConsumer memoryUse;
  private final LongSupplier erasuresKeptBehind;
  private final AtomicLong memoryBytes = new AtomicLong(); // of all mem fragments

  private final ReentrantLock writes = new ReentrantLock();

  // Written under writes. A cell is in the mem fragment before assignedTxn says so.
  private volatile MemFragment active;
  private volatile long assignedTxn;
  private volatile boolean closed;

  private long replayed; // batches, when it was opened

  private Store(Builder builder, boolean ownsFiles) throws IOException {
    this.files = builder.files;
    this.ownsFiles = ownsFiles;
    this.settings = builder.settings;
    this.clock = builder.clock;
    this.random = builder.random;
    this.events = builder.events;
    this.memoryUse = builder.memoryUse;
    this.erasuresKeptBehind = builder.erasuresKeptBehind;
    this.history = builder.history;
    Context context = new Context();
    this.keeper = ChainKeeper.open(files, builder.cache, settings.inMemory());
    this.reads =
        new ReadPath(
            keeper.holder(), settings.resolution(), settings.purge(), clock, this::checkOpen);
    this.flusher = new Flusher(context);
    CompactionPolicy policy = new CompactionPolicy(settings.compaction());
    this.compactor = new Compactor(context, policy, settings.autoCompact());
    this.active = new MemFragment();
    this.assignedTxn = keeper.flushedTxn();
    try {
      keeper.add(active);
      this.marker = TxnMarker.open(files, settings.resolution(), clock);
      this.log = settings.logged() ? openLog(builder.log, builder.progress) : null;
    } catch (IOException | RuntimeException e) {
      countMemory(-memoryBytes.get());
      keeper.close();
      throw e;
    }
    context.releaseLog(keeper.flushedTxn());
    flusher.start();
    compactor.start();
    compactor.wake();
    rotateIfFull();
    report(
        new StoreEvent.Opened(
            files.describe(), keeper.holder().current().links().size() - 1, replayed, assignedTxn));
  }

  /** Opens a directory with the default settings, alone, and makes it where it does not exist. */
  public static Store open(Path directory) {
    return open(directory, StoreSettings.DEFAULT);
  }

  public static Store open(Path directory, StoreSettings settings) {
    try {
      FileStore files = LocalFileStore.openExclusive(directory);
      try {
        return new Store(new Builder(files).settings(settings), true);
      } catch (IOException | RuntimeException e) {
        files.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UnavailableException("store in " + directory + " cannot be opened: " + e, e);
    }
  }

  /** For a store on other files, with another clock, a shared cache and so on. */
  public static final class Builder {
    private final FileStore files;
    private StoreSettings settings = StoreSettings.DEFAULT;
    private BlockCache cache = new BlockCache(DEFAULT_CACHE_BYTES);
    private Clock clock = Clock.system();
    private RandomGenerator random = RandomSource.system();
    private Consumer<StoreEvent> events = _ -> {};
    private CommitLog.Progress progress = CommitLog.Progress.IGNORED;
    private StoreLog.Opener log = CommitLog::new;
    private LongConsumer memoryUse = _ -> {};
    private LongSupplier erasuresKeptBehind = () -> Long.MAX_VALUE;
    private History history = History.NONE;
    private long startTxn;

    private static final long DEFAULT_CACHE_BYTES = 256L << 20;

    /** The files stay the caller's to close, after the store. */
    public Builder(FileStore files) {
      this.files = files;
    }

    public Builder settings(StoreSettings value) {
      settings = value;
      return this;
    }

    public Builder cache(BlockCache value) {
      cache = value;
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

    /** Told of everything that happens, on the thread on which it does; what it throws is lost. */
    public Builder events(Consumer<StoreEvent> value) {
      events = value;
      return this;
    }

    /**
     * Where batches go from now on, behind what is in the store's own log: for stores that share a
     * log.
     */
    public Builder log(StoreLog.Opener value) {
      log = value;
      return this;
    }

    /** Told, on the log's thread, how far it has come: for those who {@link Store#submit}. */
    public Builder progress(CommitLog.Progress value) {
      progress = value;
      return this;
    }

    /**
     * Told of each change in the bytes that the store's mem fragments take, for those who keep
     * several stores within one budget. Called within the store's locks: must not wait.
     */
    public Builder memoryUse(LongConsumer value) {
      memoryUse = value;
      return this;
    }

    /**
     * Erasures that were committed behind this transaction are kept, whatever their age: others
     * have still to get them. For stores that are resolved by time; asked before each rewrite.
     */
    public Builder keepErasuresBehind(LongSupplier txn) {
      erasuresKeptBehind = txn;
      return this;
    }

    /** What cells mean to an owner that will {@linkplain Store#raiseFloor raise a floor}. */
    public Builder history(History value) {
      history = value;
      return this;
    }

    /**
     * Where there is no store yet, one begins behind this transaction: those up to it are for what
     * it will {@linkplain Store#adopt adopt}.
     */
    public Builder startBehind(long txn) {
      startTxn = txn;
      return this;
    }

    public Store open() {
      try {
        Manifest.begin(files, startTxn);
        return new Store(this, false);
      } catch (IOException e) {
        throw new UnavailableException(
            "store in " + files.describe() + " cannot be opened: " + e, e);
      }
    }
  }

  private StoreLog openLog(StoreLog.Opener opener, CommitLog.Progress progress) throws IOException {
    LogReplay.Result found =
        LogReplay.replay(
            files,
            LOG,
            keeper.flushedTxn(),
            marker,
            batch -> {
              replayed++;
              addToMemory(batch);
              rotateIfFull();
            });
    long start = marker.begin(found.lastTxn(), keeper.flushedTxn());
    assignedTxn = Math.max(assignedTxn, start);
    LogReplay.Result behind = new LogReplay.Result(assignedTxn, found.nextFile(), found.files());
    return opener.open(files, LOG, settings.commitLog(), clock, behind, progress);
  }

  // ---- writing

  /** Commits a batch and waits until it is durable. */
  public long apply(CellBatch batch) {
    return apply(batch, true);
  }

  /**
   * Commits a batch: all of it or nothing.
   *
   * @param waitForSync false to return before it is durable; see {@link #sync}
   * @return its transaction
   */
  public long apply(CellBatch batch, boolean waitForSync) {
    long txn = submit(batch, waitForSync);
    if (waitForSync) {
      sync(txn);
    }
    return txn;
  }

  /**
   * Commits a batch and returns before it is durable, which {@link Builder#progress} is told.
   *
   * @param soon whether somebody waits for it
   * @return its transaction
   */
  public long submit(CellBatch batch, boolean soon) {
    StoreLog commits = log;
    if (commits == null) {
      throw new InvalidRequestException(
          "a store without a log of its own gets its transactions from outside");
    }
    throttle();
    commits.throttle();
    long txn;
    writes.lock();
    try {
      checkOpen();
      commits.checkOpen(); // before anything is changed
      txn = assignedTxn + 1;
      CellBatch committed = batch.committed(txn);
      addToMemory(committed); // first: whoever sees it durable must find it
      commits.enqueue(committed, soon);
      rotateIfFull();
    } finally {
      writes.unlock();
    }
    return txn;
  }

  /**
   * Applies a batch that someone else has made durable, in a store without a log of its own.
   *
   * @param txn above that of every batch before
   */
  public void applyLogged(CellBatch batch, long txn) {
    if (log != null) {
      throw new InvalidRequestException("transaction " + txn + ": this store keeps its own log");
    }
    throttle();
    writes.lock();
    try {
      checkOpen();
      if (txn <= assignedTxn) {
        throw new InvalidRequestException(
            "transaction " + txn + " behind " + assignedTxn + ": must be above it");
      }
      addToMemory(batch.committed(txn));
      rotateIfFull();
    } finally {
      writes.unlock();
    }
  }

  private void addToMemory(CellBatch committed) {
    long before = active.bytes();
    active.add(committed);
    assignedTxn = committed.txn();
    countMemory(active.bytes() - before);
  }

  private void countMemory(long bytes) {
    if (bytes != 0) {
      memoryBytes.addAndGet(bytes);
      memoryUse.accept(bytes);
    }
  }

  /** Bytes that mem fragments take: what {@link #flush} would write to disk. */
  public long memoryBytes() {
    return memoryBytes.get();
  }

  private void throttle() {
    flusher.throttle(active.bytes(), settings.memoryBytes());
  }

  private void rotateIfFull() {
    if (active.bytes() >= settings.memFragmentBytes()) {
      rotate();
    }
  }

  private void rotateIfAny() {
    if (!active.isEmpty()) {
      rotate();
    }
  }

  /** Freezes the mem fragment and starts another. Under the lock, or before others come. */
  private void rotate() {
    if (log != null) {
      log.roll(); // first: once it is frozen, it may be flushed, and released from the log
    }
    MemFragment full = active;
    full.freeze();
    MemFragment fresh = new MemFragment();
    keeper.add(fresh);
    active = fresh;
    flusher.add(full);
  }

  /** Waits until a transaction, and so all before it, is durable; returns the newest that is. */
  public long sync(long txn) {
    if (txn > assignedTxn) {
      throw new InvalidRequestException(
          "transaction " + txn + " to sync: the newest is " + assignedTxn);
    }
    if (log != null) {
      log.await(txn);
    }
    return durableTxn();
  }

  public long assignedTxn() {
    return assignedTxn;
  }

  /** The newest transaction that readers see. */
  public long durableTxn() {
    return log != null ? log.durableTxn() : assignedTxn;
  }

  /** All transactions up to this one are in disk fragments, and need no log. */
  public long flushedTxn() {
    return keeper.flushedTxn();
  }

  // ---- reading

  /** The newest version of a column. */
  public Optional<Bytes> get(Bytes row, Bytes family, Bytes qualifier) {
    return get(row, family, qualifier, Read.DURABLE);
  }

  public Optional<Bytes> get(Bytes row, Bytes family, Bytes qualifier, Read read) {
    return reads.get(row, family, qualifier, () -> txn(read));
  }

  public Optional<Bytes> get(Bytes row, Bytes family, Bytes qualifier, Snapshot snapshot) {
    return reads.get(row, family, qualifier, () -> snapshot.readTxn(snapshots));
  }

  public Scan scan(ReadPredicate predicate) {
    return scan(predicate, Read.DURABLE);
  }

  public Scan scan(ReadPredicate predicate, Read read) {
    return reads.scan(predicate, () -> txn(read));
  }

  public Scan scan(ReadPredicate predicate, Snapshot snapshot) {
    return reads.scan(predicate, () -> snapshot.readTxn(snapshots));
  }

  /** Opens a read transaction at what is durable now. */
  public Snapshot snapshot() {
    return snapshot(Read.DURABLE);
  }

  public Snapshot snapshot(Read read) {
    checkOpen();
    return new Snapshot(snapshots, snapshots.open(() -> txn(read)));
  }

  /** Opens a read transaction that another snapshot has open; nothing if none has. */
  public Optional<Snapshot> snapshotAt(long txn) {
    checkOpen();
    return snapshots.reopen(txn) ? Optional.of(new Snapshot(snapshots, txn)) : Optional.empty();
  }

  /**
   * The durable cells that came behind a transaction, erasures included, as far as a reader could
   * tell them from their absence. For stores that are resolved by time.
   */
  public StoredScan stored(RowRange rows, long afterTxn) {
    return stored(rows, afterTxn, Long.MAX_VALUE);
  }

  /** As above, without what came behind another transaction. */
  public StoredScan stored(RowRange rows, long afterTxn, long upToTxn) {
    checkByTime();
    return reads.stored(rows, afterTxn, () -> Math.min(durableTxn(), upToTxn));
  }

  /**
   * Whether all cells of a batch are here durably, or no reader could tell them from their absence.
   * For stores that are resolved by time.
   */
  public boolean hasAll(CellBatch batch) {
    checkByTime();
    return reads.hasAll(batch, this::durableTxn);
  }

  private void checkByTime() {
    if (!settings.resolution().isByTime()) {
      throw new InvalidRequestException("store in " + files.describe() + " is not by time");
    }
  }

  /** All cells as they are stored, erasures and hidden versions included: for tools and tests. */
  public List<Cell> dump() {
    return reads.dump();
  }

  private long txn(Read read) {
    return read == Read.LATEST ? assignedTxn : durableTxn();
  }

  // ---- upkeep

  /** Writes all that is in memory to a disk fragment, and waits for it. */
  public void flush() {
    writes.lock();
    try {
      checkOpen();
      rotateIfAny();
    } finally {
      writes.unlock();
    }
    flusher.await();
  }

  /**
   * From now on nobody reads what the {@linkplain Builder#history history} says of changes up to
   * this one, but for what is the newest of a column there. Rewrites leave the rest out, and
   * fragments of which that is much are rewritten in the background.
   *
   * @param txn that gave it up, applied before
   */
  public void raiseFloor(long change, long txn) {
    if (txn > assignedTxn) {
      throw new InvalidRequestException(
          "floor at change "
              + change
              + " by transaction "
              + txn
              + ": the newest is "
              + assignedTxn);
    }
    floors.raise(change, txn);
    compactor.wake();
  }

  /** About how many bytes of the files are below the floor, and go as files are rewritten. */
  public long garbageBytes() {
    return compactor.garbageBytes(floors.newest());
  }

  /** A floor may have waited for it. */
  private void snapshotClosed() {
    if (floors.anyWaits()) {
      compactor.wake();
    }
  }

  /** Merges all disk fragments into one, and waits for it. */
  public void compact() {
    checkOpen();
    compactor.compactAll();
  }

  /**
   * Takes over cells of another store, with the transactions that they have there, below all that
   * is here: for a store that {@linkplain Builder#startBehind began behind} those. Readers see them
   * all at once. For stores that are resolved by time.
   *
   * @return how many cells it was
   * @throws java.util.concurrent.CancellationException if asked to stop; nothing has changed
   */
  public long adopt(StoredScan cells, BooleanSupplier cancelled) {
    checkByTime();
    checkOpen();
    if (cells.txn() > assignedTxn) {
      throw new InvalidRequestException(
          "cells up to transaction "
              + cells.txn()
              + " to be adopted by a store at "
              + assignedTxn
              + ": it must have begun behind them");
    }
    try {
      long count =
          new Adoption(files, keeper)
              .run(cells, settings.fragments(), random.nextLong(), cancelled);
      compactor.wake();
      return count;
    } catch (IOException e) {
      throw new UnavailableException(
          "cells could not be adopted in " + files.describe() + ": " + e, e);
    }
  }

  /**
   * From now on only these families count in what has been written so far; the others are hidden at
   * once, and leave the files when these are compacted. Row erasures count everywhere.
   */
  public void restrict(Set<Bytes> families) {
    flush();
    try {
      keeper.restrict(families);
    } catch (IOException e) {
      throw new UnavailableException("families could not be restricted: " + e, e);
    }
  }

  /**
   * Works in another way from now on: another purge policy, format of files, families in memory,
   * grace time. What is written already follows when it is rewritten.
   */
  public void configure(StoreSettings changed) {
    if (changed.resolution().isByTime() != settings.resolution().isByTime()
        || changed.logged() != settings.logged()) {
      throw new InvalidRequestException(
          "store in " + files.describe() + ": resolution and log cannot be changed");
    }
    settings = changed;
    reads.setPurge(changed.purge());
    keeper.setInMemory(changed.inMemory());
  }

  /** The chain as it is now, oldest fragment first. */
  public Chain chain() {
    return keeper.holder().current();
  }

  /**
   * Syncs the log and stops. What is in memory stays in the log for the next opening. Scans must
   * have been closed.
   */
  @Override
  public void close() {
    writes.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      writes.unlock();
    }
    flusher.close();
    countMemory(-memoryBytes.get());
    compactor.close();
    if (log != null) {
      log.close();
    }
    keeper.close();
    if (ownsFiles) {
      try {
        files.close();
      } catch (IOException e) {
        throw new UnavailableException("store in " + files.describe() + " cannot be closed", e);
      }
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new UnavailableException("store in " + files.describe() + " is closed");
    }
  }

  private void report(StoreEvent event) {
    try {
      events.accept(event);
    } catch (RuntimeException e) {
      // A listener's fault must not end the store's own work.
    }
  }

  private final class Context implements StoreContext {
    @Override
    public ChainKeeper keeper() {
      return keeper;
    }

    @Override
    public Compactor compactor() {
      return compactor;
    }

    @Override
    public Clock clock() {
      return clock;
    }

    @Override
    public long floor() {
      return floors.onDisk(keeper.flushedTxn(), snapshots.current());
    }

    @Override
    public OptionalLong floorInMemory() {
      return floors.awaitsFlush(keeper.flushedTxn())
          ? OptionalLong.of(floors.newest())
          : OptionalLong.empty();
    }

    @Override
    public void flushSoon() {
      writes.lock();
      try {
        if (!closed) {
          rotateIfAny();
        }
      } finally {
        writes.unlock();
      }
    }

    @Override
    public CompactionJob job(FilePath output, List<Link> inputs, Older older) {
      StoreSettings current = settings;
      SnapshotSet open = snapshots.current();
      return new CompactionJob(
          files,
          output,
          inputs,
          UnaryOperator.identity(),
          older,
          current.resolution(),
          expiry(current.resolution(), inputs),
          open,
          current.purge(),
          new HistoryFloor(history, floors.at(reached(inputs), open)),
          current.fragments(),
          reads.now(),
          random.nextLong());
    }

    /** All transactions up to this one are on disk once the inputs have been rewritten. */
    private long reached(List<Link> inputs) {
      return inputs.stream()
          .mapToLong(link -> link.fragment().maxTxn())
          .reduce(keeper.flushedTxn(), Math::max);
    }

    private ErasureExpiry expiry(Resolution resolution, List<Link> inputs) {
      try {
        return marker
            .expiry(resolution, assignedTxn, keeper.holder()::current, inputs)
            .upTo(erasuresKeptBehind.getAsLong());
      } catch (IOException e) {
        report(new StoreEvent.BackgroundFailed("marking of transactions", e));
        return ErasureExpiry.NEVER;
      }
    }

    @Override
    public void awaitDurable(long txn) {
      if (log != null) {
        log.await(txn);
      }
    }

    @Override
    public void freed(long bytes) {
      countMemory(-bytes);
    }

    @Override
    public void releaseLog(long txn) {
      try {
        if (log != null) {
          log.release(txn);
        }
      } catch (IOException e) {
        report(new StoreEvent.BackgroundFailed("deletion of log files", e));
      }
    }

    @Override
    public boolean hasEnded() {
      return keeper.isBroken() || (log != null && log.hasFailed());
    }

    @Override
    public void report(StoreEvent event) {
      Store.this.report(event);
    }
  }
}
