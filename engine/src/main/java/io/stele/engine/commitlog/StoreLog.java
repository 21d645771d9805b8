package io.stele.engine.commitlog;

import io.stele.base.cell.CellBatch;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.time.Clock;
import java.io.IOException;

/**
 * Where the batches of a store become durable: a {@link CommitLog} of its own, or a part of one
 * that several stores share.
 */
public interface StoreLog extends AutoCloseable {
  /** Waits until there is room for a batch. To be called before {@link #enqueue}, without locks. */
  void throttle();

  /** Fails if nothing more can be logged. */
  void checkOpen();

  /** Takes the batch of the next transaction; callers see to the order, and have checked first. */
  void enqueue(CellBatch batch, boolean waitedFor);

  /** The newest transaction that is on disk, with all before it. */
  long durableTxn();

  /** Waits until a transaction is durable. */
  void await(long txn);

  /** What was taken so far will be released at once; called before it is. */
  void roll();

  /** Nothing up to a transaction is needed any more. */
  void release(long txn) throws IOException;

  /** True once a write or a sync has failed. */
  boolean hasFailed();

  /** Syncs what was taken and stops. */
  @Override
  void close();

  /** Begins a log behind what was replayed from the store's own directory. */
  @FunctionalInterface
  interface Opener {
    StoreLog open(
        FileStore files,
        FilePath directory,
        CommitLogSettings settings,
        Clock clock,
        LogReplay.Result replayed,
        CommitLog.Progress progress);
  }
}
