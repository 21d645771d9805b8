package io.stele.engine;

import io.stele.base.file.FilePath;
import io.stele.base.time.Clock;
import io.stele.engine.chain.Link;
import io.stele.engine.compaction.CompactionJob;
import io.stele.engine.merge.Older;
import java.util.List;
import java.util.OptionalLong;

/** What a store's background work needs of it, and no more. */
interface StoreContext {
  ChainKeeper keeper();

  Compactor compactor();

  Clock clock();

  /** A job under the store's settings, for the snapshots that are open now. */
  CompactionJob job(FilePath output, List<Link> inputs, Older older);

  /** The floor of the history for a rewrite of what is on disk. */
  long floor();

  /** A newer floor, which counts once memory has been flushed. */
  OptionalLong floorInMemory();

  /** Has all that is in memory flushed, and does not wait for it. */
  void flushSoon();

  /** Waits until the log holds a transaction durably; at once where there is no log. */
  void awaitDurable(long txn);

  /** Mem fragments of so many bytes are no longer in memory. */
  void freed(long bytes);

  /** Lets go of log files that hold nothing above a transaction. */
  void releaseLog(long txn);

  /** True if nothing can be made durable any more until the store is opened again. */
  boolean hasEnded();

  void report(StoreEvent event);
}
