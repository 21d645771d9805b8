package io.stele.engine;

import io.stele.base.event.Event;
import io.stele.base.file.FilePath;
import io.stele.engine.compaction.CompactionPlan;

/** What happens inside a store that an operator or a test may want to know. */
public sealed interface StoreEvent extends Event {
  @Override
  default Level level() {
    return Level.INFO;
  }

  /** A store was opened; {@code replayed} transactions came from the log. */
  record Opened(String where, int fragments, long replayed, long txn) implements StoreEvent {
    @Override
    public String text() {
      return "opened %s at transaction %d: %d fragments, %d transactions from the log"
          .formatted(where, txn, fragments, replayed);
    }
  }

  /** Mem fragments were written to a file; all up to {@code txn} is on disk. */
  record Flushed(FilePath file, long cells, long txn, long nanos) implements StoreEvent {
    @Override
    public String text() {
      return "flushed %d cells up to transaction %d to %s in %d ms"
          .formatted(cells, txn, file, nanos / 1_000_000);
    }
  }

  /** A compaction ended; its output is in the chain unless the inputs had changed meanwhile. */
  record Compacted(FilePath file, CompactionPlan plan, boolean kept, long cells, long nanos)
      implements StoreEvent {
    @Override
    public String text() {
      return "compacted %d fragments (%s) to %d cells in %s in %d ms%s"
          .formatted(
              plan.width(),
              plan.reason(),
              cells,
              file,
              nanos / 1_000_000,
              kept ? "" : ", discarded: the chain had changed");
    }
  }

  /** A thread that works in the background has ended for good: the server must end, too. */
  record WorkerDied(String worker, Throwable cause) implements StoreEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "the thread for " + worker + " has died, and the server ends: " + cause;
    }
  }

  /** Background work failed, and will be tried again. */
  record BackgroundFailed(String what, Exception cause) implements StoreEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return what + " failed and will be tried again: " + cause;
    }
  }
}
