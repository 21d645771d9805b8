package io.stele.replicas.partition;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.time.Clock;
import io.stele.engine.commitlog.CommitLog;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.engine.commitlog.LogFiles;
import io.stele.engine.commitlog.LogReplay;
import io.stele.engine.commitlog.StoreLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The commit log that all replicas of a server share, so that their changes are made durable by one
 * sync.
 *
 * <pre>
 *   replica ─ Share ┐                                   ┌► its Share: durable up to its sequence
 *   replica ─ Share ┼► CommitLog, by numbers of its own ┼► its Share
 *   replica ─ Share ┘                                   └► its Share
 * </pre>
 *
 * It is only ever appended to. When a server starts, {@link LogDistribution} hands the records of
 * the last run to the logs that replicas have in their own directories, from which they are
 * replayed when the replicas are opened: a replica's directory is whole then, and this log is
 * empty.
 *
 * <p>A file of it is deleted when no replica needs it. One that is rarely written to would hold
 * back many: {@link #longestHolder} says who is to be flushed.
 *
 * <p>Lock order: that of this class, then the commit log's.
 */
final class ServerLog implements CommitLog.Progress, AutoCloseable {
  /** Of closed files, beyond which replicas are flushed that hold them back. */
  private static final long MOST_BYTES = 256L << 20;

  private static final long FILE_BYTES = 32L << 20;

  /** A change on its way to disk. */
  private record Queued(long number, Share share, long txn) {}

  private final CommitLog log;
  private final long mostBytes;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Map<ReplicaName, Share> shares = new HashMap<>();
  private final Deque<Queued> queued = new ArrayDeque<>(); // in the order of their numbers
  private long last; // number that was given out

  /** A log in a directory that is empty: see {@link LogDistribution}. */
  ServerLog(FileStore files, FilePath directory, CommitLogSettings settings, Clock clock)
      throws IOException {
    CommitLogSettings smaller =
        new CommitLogSettings(
            Math.min(FILE_BYTES, settings.fileBytes()),
            settings.preallocateBytes(),
            settings.queueBytes(),
            settings.lazySync());
    this.mostBytes = Math.min(MOST_BYTES, 8 * smaller.fileBytes());
    LogReplay.Result empty =
        new LogReplay.Result(0, LogReplay.nextFile(files, directory), List.of());
    this.log = new CommitLog(files, directory, smaller, clock, empty, this);
  }

  /**
   * How a replica's store gets its part of this log.
   *
   * @param id of the replica's directory, by which its records are known
   */
  StoreLog.Opener opener(ReplicaName name, String id) {
    return (files, directory, settings, clock, replayed, progress) -> {
      LogFiles own = new LogFiles(files, replayed.files());
      Share share =
          new Share(name, LogDistribution.head(name, id), own, replayed.lastTxn(), progress);
      lock.lock();
      try {
        share.lastNumber = last;
        share.releasedNumber = last;
        shares.put(name, share);
      } finally {
        lock.unlock();
      }
      return share;
    };
  }

  /** The newest change of a replica, closed by now, if not all of them are in its own files. */
  OptionalLong held(ReplicaName name) {
    lock.lock();
    try {
      Share share = shares.get(name);
      return share != null && share.heldBehind() < Long.MAX_VALUE
          ? OptionalLong.of(share.lastTxn)
          : OptionalLong.empty();
    } finally {
      lock.unlock();
    }
  }

  /** A replica, closed by now, needs nothing of it. */
  void forget(ReplicaName name) throws IOException {
    lock.lock();
    try {
      shares.remove(name);
    } finally {
      lock.unlock();
    }
    release();
  }

  /** The replica that keeps the oldest of too many files from being deleted. */
  Optional<ReplicaName> longestHolder() {
    if (log.bytesFrom(0) <= mostBytes) {
      return Optional.empty();
    }
    lock.lock();
    try {
      return shares.values().stream()
          .filter(each -> each.heldBehind() < Long.MAX_VALUE)
          .min(Comparator.comparingLong(Share::heldBehind))
          .map(each -> each.name);
    } finally {
      lock.unlock();
    }
  }

  private void release() throws IOException {
    long upTo;
    lock.lock();
    try {
      upTo = last;
      for (Share share : shares.values()) {
        upTo = Math.min(upTo, share.heldBehind());
      }
    } finally {
      lock.unlock();
    }
    log.release(upTo);
  }

  // ---- on the log's thread

  @Override
  public void durable(long number) {
    Set<Share> touched = new LinkedHashSet<>();
    lock.lock();
    try {
      for (Queued first = queued.peek();
          first != null && first.number <= number;
          first = queued.peek()) {
        first.share.durableTxn = first.txn;
        touched.add(first.share);
        queued.remove();
      }
    } finally {
      lock.unlock();
    }
    for (Share share : touched) {
      share.progress.durable(share.durableTxn);
      share.wake();
    }
  }

  @Override
  public void failed(Throwable cause) {
    Set<Share> all;
    lock.lock();
    try {
      all = Set.copyOf(shares.values());
    } finally {
      lock.unlock();
    }
    for (Share share : all) {
      share.failure = cause;
      share.progress.failed(cause);
      share.wake();
    }
  }

  /** Syncs what was taken and stops. After all replicas are closed. */
  CommitLog.Stats stats() {
    return log.stats();
  }

  @Override
  public void close() {
    log.close();
  }

  /** What a replica's store sees of the log. */
  private final class Share implements StoreLog {
    /** All that the store had committed when a mem fragment was frozen. */
    private record Boundary(long txn, long number) {}

    private final ReplicaName name;
    private final byte[] head;
    private final LogFiles own; // of the replica's directory, from before it was opened
    private final CommitLog.Progress progress;

    // Guarded by the log's lock.
    private final Deque<Boundary> boundaries = new ArrayDeque<>();
    private long lastTxn;
    private long lastNumber;
    private long releasedNumber; // all of its records up to this number are in disk fragments

    private volatile long durableTxn; // written by the log's thread
    private volatile @Nullable Throwable failure;

    Share(
        ReplicaName name,
        byte[] head,
        LogFiles own,
        long replayedTxn,
        CommitLog.Progress progress) {
      this.name = name;
      this.head = head;
      this.own = own;
      this.progress = progress;
      this.lastTxn = replayedTxn;
      this.durableTxn = replayedTxn;
    }

    /** Under the lock: files with nothing of it above this number are not held back. */
    private long heldBehind() {
      return lastNumber > releasedNumber ? releasedNumber : Long.MAX_VALUE;
    }

    @Override
    public void throttle() {
      log.throttle();
    }

    @Override
    public void checkOpen() {
      log.checkOpen();
    }

    @Override
    public void enqueue(CellBatch batch, boolean waitedFor) {
      lock.lock();
      try {
        long number = last + 1;
        log.enqueue(number, head, batch, waitedFor);
        last = number;
        lastNumber = number;
        lastTxn = batch.txn();
        queued.add(new Queued(number, this, batch.txn()));
      } finally {
        lock.unlock();
      }
    }

    @Override
    public long durableTxn() {
      return durableTxn;
    }

    @Override
    public void await(long txn) {
      if (durableTxn >= txn) {
        return;
      }
      long number;
      lock.lock();
      try {
        number = lastNumber;
      } finally {
        lock.unlock();
      }
      log.hurry(number);
      awaitWoken(txn);
      if (durableTxn < txn) {
        throw new OutcomeUnknownException(
            "change "
                + txn
                + " of replica "
                + name
                + " may or may not be in the commit log: "
                + failure,
            failure);
      }
    }

    private synchronized void awaitWoken(long txn) {
      boolean interrupted = false;
      while (durableTxn < txn && failure == null) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    private synchronized void wake() {
      notifyAll();
    }

    @Override
    public void roll() {
      lock.lock();
      try {
        boundaries.add(new Boundary(lastTxn, lastNumber));
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void release(long txn) throws IOException {
      own.release(txn);
      boolean any = false;
      lock.lock();
      try {
        for (Boundary first = boundaries.peek();
            first != null && first.txn <= txn;
            first = boundaries.peek()) {
          releasedNumber = first.number;
          boundaries.remove();
          any = true;
        }
      } finally {
        lock.unlock();
      }
      if (any) {
        ServerLog.this.release();
      }
    }

    @Override
    public boolean hasFailed() {
      return log.hasFailed();
    }

    /** What is not in files stays in the log. */
    @Override
    public void close() {
      long txn;
      lock.lock();
      try {
        txn = lastTxn;
      } finally {
        lock.unlock();
      }
      try {
        await(txn);
      } catch (SteleException e) {
        // Those who wait for it were told.
      }
    }
  }
}
