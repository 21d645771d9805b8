package io.stele.engine;

import io.stele.base.file.FilePath;
import io.stele.engine.compaction.CompactionPlan;

/** What happens inside a store that an operator or a test may want to know. */
public sealed interface StoreEvent {
  /** A store was opened; {@code replayed} transactions came from the log. */
  record Opened(String where, int fragments, long replayed, long txn) implements StoreEvent {}

  /** Mem fragments were written to a file; all up to {@code txn} is on disk. */
  record Flushed(FilePath file, long cells, long txn, long nanos) implements StoreEvent {}

  /** A compaction ended; its output is in the chain unless the inputs had changed meanwhile. */
  record Compacted(FilePath file, CompactionPlan plan, boolean kept, long cells, long nanos)
      implements StoreEvent {}

  /** Background work failed, and will be tried again. */
  record BackgroundFailed(String what, Exception cause) implements StoreEvent {}
}
