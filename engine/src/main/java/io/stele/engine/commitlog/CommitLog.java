package io.stele.engine.commitlog;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.metric.Timings;
import io.stele.base.metric.Waits;
import io.stele.base.recordlog.RecordLogWriter;
import io.stele.base.time.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The commit log: batches in the order of their transactions, made durable in groups by one thread.
 *
 * <p>A directory of record logs (see {@link RecordLogWriter}) named by number, {@code
 * 0000000001.log} and so on. A record is a {@link CellBatch} as it was committed, transaction
 * number included, behind a head that is the owner's affair; transactions ascend, also from file to
 * file. A file goes when everything in it is in disk fragments: {@link #release}. A log that
 * several stores share goes by numbers of its owner's, where this says transactions.
 *
 * <p>The log thread takes all that waits, writes it, and syncs once if anybody waits for it.
 * Commits that nobody waits for are written in larger pieces and synced after a while. When a write
 * or a sync fails, the log is at its end: what had not been synced is in doubt, nothing more is
 * taken, and the store must be opened again.
 */
public final class CommitLog implements StoreLog {
  private static final long NO_ROLL = -1;

  /**
   * What a log did since it was opened.
   *
   * @param syncs how long it took to make a group durable
   * @param records that were written, of so many bytes without their heads
   * @param throttled writers that waited for room in the queue
   * @param queuedBytes that wait to be written
   */
  public record Stats(
      Timings.Snapshot syncs,
      long records,
      long bytes,
      long throttled,
      long throttledNanos,
      long queuedBytes) {}

  /** A file that takes no more records, its last transaction and its length. */
  public record ClosedFile(FilePath path, long lastTxn, long bytes) {}

  /** A batch to be logged, behind whatever its owner has to say about it. */
  private static final class Queued {
    final long txn;
    final byte[] head;
    final CellBatch batch;

    Queued(long txn, byte[] head, CellBatch batch) {
      this.txn = txn;
      this.head = head;
      this.batch = batch;
    }
  }

  /**
   * Notified, on the log thread, how far the log has come; must be quick. Only {@link #begun} and
   * {@link #synced} may throw, which ends the log.
   */
  public interface Progress {
    /** A file was begun; nothing has been written to it yet. */
    default void begun() throws IOException {}

    /** A sync has succeeded; nothing of it has been acknowledged yet. */
    default void synced() throws IOException {}

    /** All up to a transaction is on disk. */
    void durable(long txn);

    /** Nothing more will be. */
    void failed(Throwable cause);

    Progress IGNORED =
        new Progress() {
          @Override
          public void durable(long txn) {}

          @Override
          public void failed(Throwable cause) {}
        };
  }

  private static final byte[] NO_HEAD = {};

  private final FileStore files;
  private final FilePath directory;
  private final CommitLogSettings settings;
  private final Clock clock;
  private final Progress progress;
  private final Thread thread;

  private final LogFiles closedFiles;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition room = lock.newCondition();

  // Guarded by lock. Waiters are in the order of their transactions.
  private List<Queued> queue = new ArrayList<>();
  private long queuedBytes;
  private long queuedTxn;

  /** The current file is to end with this transaction; {@link #NO_ROLL} if it is not. */
  private volatile long rollAfter = NO_ROLL;

  /** The newest transaction that somebody waits for. */
  private volatile long wantedTxn;

  // Invariant: durableTxn <= queuedTxn. Written by the log thread.
  private volatile long durableTxn;
  private volatile @Nullable Throwable failure;
  private volatile boolean stopped;

  private volatile boolean closing; // written under lock

  private final DurabilityWaiters waiters = new DurabilityWaiters();
  private final Timings syncs = new Timings();
  private final Waits throttled = new Waits();
  private final LongAdder records = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  // The log thread's own.
  private @Nullable RecordLogWriter writer;
  private long nextFile;
  private long writtenTxn;
  private long lastSyncNanos;

  /**
   * Starts a log behind what was replayed.
   *
   * @param replayed what {@link LogReplay} found in the directory
   */
  public CommitLog(
      FileStore files,
      FilePath directory,
      CommitLogSettings settings,
      Clock clock,
      LogReplay.Result replayed) {
    this(files, directory, settings, clock, replayed, Progress.IGNORED);
  }

  /** As above, and tells somebody how far it has come. */
  public CommitLog(
      FileStore files,
      FilePath directory,
      CommitLogSettings settings,
      Clock clock,
      LogReplay.Result replayed,
      Progress progress) {
    this.progress = progress;
    this.files = files;
    this.directory = directory;
    this.settings = settings;
    this.clock = clock;
    this.nextFile = replayed.nextFile();
    this.closedFiles = new LogFiles(files, replayed.files());
    this.queuedTxn = replayed.lastTxn();
    this.writtenTxn = replayed.lastTxn();
    this.durableTxn = replayed.lastTxn();
    this.wantedTxn = replayed.lastTxn();
    this.lastSyncNanos = clock.nanos();
    this.thread = Thread.ofPlatform().name("stele-commit-log").daemon().unstarted(this::run);
    thread.start();
  }

  private RecordLogWriter createFile() throws IOException {
    FilePath path = directory.resolve(fileName(nextFile++));
    return RecordLogWriter.create(files, path, settings.preallocateBytes());
  }

  /** The name of the file with a number. */
  public static String fileName(long number) {
    return "%010d.log".formatted(number);
  }

  /** The newest transaction that is on disk, with all before it. */
  @Override
  public long durableTxn() {
    return durableTxn;
  }

  /**
   * Waits until there is room in the queue. To be called before {@link #enqueue}, without locks.
   */
  @Override
  public void throttle() {
    if (queuedBytesNow() < settings.queueBytes()) {
      return;
    }
    long start = clock.nanos();
    lock.lock();
    try {
      while (queuedBytes >= settings.queueBytes() && failure == null && !closing) {
        room.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExhaustedException("interrupted while the commit log's queue was full", e);
    } finally {
      lock.unlock();
      throttled.record(clock.nanos() - start);
    }
  }

  /**
   * Takes the batch of the next transaction. Callers see to the order, and ask {@link #checkOpen}
   * first: a log that fails after that still takes the batch, whose fate is then unknown as it is
   * for all that wait.
   */
  @Override
  public void enqueue(CellBatch batch, boolean waitedFor) {
    enqueue(NO_HEAD, batch, waitedFor);
  }

  /** As above, with a head before the batch in the record. */
  public void enqueue(byte[] head, CellBatch batch, boolean waitedFor) {
    enqueue(batch.txn(), head, batch, waitedFor);
  }

  /** As above, for a log that goes by other numbers than the transactions of batches. */
  public void enqueue(long number, byte[] head, CellBatch batch, boolean waitedFor) {
    boolean wake;
    lock.lock();
    try {
      checkNotClosed();
      if (number <= queuedTxn) {
        throw new IllegalStateException("transaction " + number + " logged behind " + queuedTxn);
      }
      queuedTxn = number;
      wake = queue.isEmpty() || waitedFor;
      queue.add(new Queued(number, head, batch));
      queuedBytes += batch.length();
      if (waitedFor) {
        wantedTxn = queuedTxn;
      }
      if (wake) {
        work.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Has a transaction synced soon, without waiting for it. */
  public void hurry(long txn) {
    if (durableTxn < txn) {
      want(txn);
    }
  }

  /** Waits until a transaction is durable. */
  @Override
  public void await(long txn) {
    if (durableTxn >= txn) {
      return;
    }
    want(txn);
    waiters.await(txn, () -> durableTxn >= txn || stopped);
    if (durableTxn < txn) {
      throw new OutcomeUnknownException(
          "transaction "
              + txn
              + " may or may not be in the commit log "
              + directory
              + ": "
              + failure,
          failure);
    }
  }

  private void want(long txn) {
    if (wantedTxn >= txn) {
      return;
    }
    lock.lock();
    try {
      if (failure != null) {
        return; // nothing is waited for any more
      }
      if (txn > queuedTxn) {
        throw new IllegalArgumentException(
            "transaction " + txn + " to wait for: the newest is " + queuedTxn);
      }
      wantedTxn = Math.max(wantedTxn, txn);
      work.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the current file with the newest transaction, so that it can be released as a whole. */
  @Override
  public void roll() {
    lock.lock();
    try {
      rollAfter = queuedTxn;
      work.signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The bytes of all files that hold something at or above a transaction, the current one apart.
   */
  public long bytesFrom(long txn) {
    return closedFiles.bytesFrom(txn);
  }

  /**
   * Deletes the files that hold nothing above a transaction; one that is still being closed goes
   * when it is. A file that cannot be deleted is tried again the next time.
   */
  @Override
  public void release(long txn) throws IOException {
    closedFiles.release(txn);
  }

  /** Syncs what was taken and stops. */
  @Override
  public void close() {
    lock.lock();
    try {
      closing = true;
      work.signal();
      room.signalAll();
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Fails if nothing more can be logged. */
  @Override
  public void checkOpen() {
    Throwable cause = failure;
    if (cause != null) {
      throw new UnavailableException(
          "commit log "
              + directory
              + " has failed and takes no more writes until the store is opened again: "
              + cause,
          cause);
    }
    checkNotClosed();
  }

  /** True once a write or a sync has failed. */
  @Override
  public boolean hasFailed() {
    return failure != null;
  }

  private void checkNotClosed() {
    if (closing) {
      throw new UnavailableException("commit log " + directory + " is closed");
    }
  }

  public Stats stats() {
    return new Stats(
        syncs.snapshot(),
        records.sum(),
        bytes.sum(),
        throttled.count(),
        throttled.nanos(),
        queuedBytesNow());
  }

  private long queuedBytesNow() {
    return queuedBytes; // a guess is enough: throttle() looks again under the lock
  }

  // ---- the log thread

  private void run() {
    try {
      while (true) {
        List<Queued> group = takeGroup();
        for (Queued queued : group) {
          append(queued);
        }
        boolean stop = group.isEmpty() && isClosing();
        if (wantedTxn > durableTxn || lazySyncDue() || stop) {
          sync();
        }
        rollIfWanted();
        if (stop) {
          closeFile();
          return;
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    } finally {
      stopped = true;
      waiters.wake(Long.MAX_VALUE);
    }
  }

  /** Waits for something to do; the group is empty if the time has come to sync, roll or stop. */
  private List<Queued> takeGroup() {
    lock.lock();
    try {
      while (queue.isEmpty() && !closing && rollAfter == NO_ROLL && wantedTxn <= durableTxn) {
        if (writtenTxn > durableTxn) {
          long left = settings.lazySync().toNanos() - (clock.nanos() - lastSyncNanos);
          if (left <= 0) {
            break;
          }
          work.awaitNanos(left);
        } else {
          work.awaitUninterruptibly();
          lastSyncNanos = clock.nanos();
        }
      }
      if (queue.isEmpty()) {
        return List.of(); // not the queue itself: others add to that one
      }
      List<Queued> group = queue;
      queue = new ArrayList<>(group.size());
      queuedBytes = 0;
      room.signalAll();
      return group;
    } catch (InterruptedException e) {
      return List.of(); // nobody interrupts this thread on purpose: look again
    } finally {
      lock.unlock();
    }
  }

  private void append(Queued queued) throws IOException {
    rollIfWanted();
    if (writer != null && writer.length() >= settings.fileBytes()) {
      closeFile();
    }
    RecordLogWriter log = writer;
    if (log == null) {
      log = createFile();
      writer = log;
      progress.begun();
    }
    CellBatch batch = queued.batch;
    log.append(queued.head, batch.array(), batch.offset(), batch.length());
    writtenTxn = queued.txn;
    records.increment();
    bytes.add(batch.length());
  }

  private void sync() throws IOException {
    if (writer != null) {
      long start = clock.nanos();
      writer.sync();
      syncs.record(clock.nanos() - start);
      progress.synced();
    }
    durableTxn = writtenTxn;
    lastSyncNanos = clock.nanos();
    waiters.wake(durableTxn);
    progress.durable(durableTxn);
  }

  private boolean lazySyncDue() {
    return writtenTxn > durableTxn
        && clock.nanos() - lastSyncNanos >= settings.lazySync().toNanos();
  }

  /** Ends the file if all up to the wanted transaction is in it. */
  private void rollIfWanted() throws IOException {
    lock.lock();
    try {
      if (rollAfter == NO_ROLL || rollAfter > writtenTxn) {
        return;
      }
      rollAfter = NO_ROLL;
    } finally {
      lock.unlock();
    }
    closeFile();
  }

  private void closeFile() throws IOException {
    RecordLogWriter log = writer;
    if (log == null) {
      return;
    }
    sync();
    log.close();
    writer = null;
    closedFiles.add(new ClosedFile(log.path(), writtenTxn, log.length()));
  }

  private boolean isClosing() {
    lock.lock();
    try {
      return closing && queue.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private void fail(Throwable cause) {
    lock.lock();
    try {
      failure = cause;
      room.signalAll();
    } finally {
      lock.unlock();
    }
    if (writer != null) {
      try {
        writer.close();
      } catch (IOException | RuntimeException e) { // those who wait must be told all the same
        if (!e.equals(cause)) {
          cause.addSuppressed(e);
        }
      }
    }
    progress.failed(cause);
  }
}
