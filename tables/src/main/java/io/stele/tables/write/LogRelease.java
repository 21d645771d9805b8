package io.stele.tables.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.engine.commitlog.CommitLog;
import io.stele.tables.event.TableEvent;
import io.stele.tables.tablet.GroupView;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import java.io.IOException;
import java.util.Collection;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Lets log files go. One is needed as long as a cell of it is in memory only, or in a file that no
 * saved configuration names yet. A table without cells in memory holds none, however old its last
 * change is.
 */
final class LogRelease {
  private final ServerParts server;
  private final CommitLog log;
  private final Supplier<Collection<Table>> tables;

  // First transaction of flushes whose configurations are being saved.
  @GuardedBy("this")
  private final TreeMap<Long, Integer> saving = new TreeMap<>();

  LogRelease(ServerParts server, CommitLog log, Supplier<Collection<Table>> tables) {
    this.server = server;
    this.log = log;
    this.tables = tables;
  }

  /** Cells from a transaction on leave memory for a file; before they do. */
  void saving(long minTxn) {
    synchronized (this) {
      saving.merge(minTxn, 1, Integer::sum);
    }
  }

  /** The configurations that name the file are saved. */
  void saved(long minTxn) {
    synchronized (this) {
      saving.computeIfPresent(minTxn, (_, count) -> count == 1 ? null : count - 1);
    }
    release();
  }

  /** The oldest transaction of flushes whose configurations are being saved. */
  long oldestSaving() {
    synchronized (this) {
      return saving.isEmpty() ? Long.MAX_VALUE : saving.firstKey();
    }
  }

  /** The oldest transaction that the log is still needed for. */
  long neededFrom() {
    return Math.min(neededByMemory(), oldestSaving());
  }

  /** The oldest transaction that a flush would free the log of. */
  long neededByMemory() {
    server.lock().lock();
    try {
      long needed = server.sequencer().durable() + 1;
      for (Table table : tables.get()) {
        for (GroupView group : table.view().groups()) {
          needed = Math.min(needed, group.minTxn());
        }
      }
      return needed;
    } finally {
      server.lock().unlock();
    }
  }

  void release() {
    if (!server.sequencer().mayAnswer()) {
      return; // whoever has the tablets now may be replaying it
    }
    try {
      log.release(neededFrom() - 1);
    } catch (IOException e) {
      server.report(new TableEvent.BackgroundFailed("deletion of log files", e));
    }
  }
}
