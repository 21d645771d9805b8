package io.stele.tables.write;

import io.stele.base.error.UnavailableException;
import io.stele.engine.Worker;
import io.stele.engine.commitlog.CommitLog;
import io.stele.engine.memory.MemoryBudget;
import io.stele.tables.event.TableEvent;
import io.stele.tables.tablet.GroupView;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;

/**
 * Decides what leaves memory, on a thread of its own: groups whose mem fragments are full; and,
 * when memory or the log runs full, the group that has the most of both.
 */
public final class Flusher implements AutoCloseable {
  private static final Duration RETRY = Duration.ofMillis(500);
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final double BUSY = 0.5; // so full memory is worked on before writers wait

  /** A group of a table. */
  record Candidate(Table table, String group, double weight) {}

  private final ServerParts server;
  private final CommitLog log;
  private final MemoryBudget memory;
  private final FlushRun run;
  private final LogRelease release;
  private final WriteSettings settings;
  private final DiskRoom room;
  private final Supplier<Collection<Table>> tables;
  private final Worker worker;

  Flusher(
      ServerParts server,
      CommitLog log,
      MemoryBudget memory,
      FlushRun run,
      LogRelease release,
      WriteSettings settings,
      DiskRoom room,
      Supplier<Collection<Table>> tables) {
    this.server = server;
    this.log = log;
    this.memory = memory;
    this.run = run;
    this.release = release;
    this.settings = settings;
    this.room = room;
    this.tables = tables;
    this.worker =
        new Worker(
            "stele-flush",
            LOOK,
            this::work,
            cause -> server.report(new TableEvent.WorkerDied("flushes", cause)));
  }

  void start() {
    worker.start();
  }

  void wake() {
    worker.wake();
  }

  /** Writes all that a table has in memory to disk, and waits for it. */
  public void flush(Table table) {
    for (GroupView group : table.view().groups()) {
      flush(table, group.schema().name());
    }
  }

  /**
   * Writes all that a table has in memory at one moment to disk, and looks at its files before more
   * is added to them.
   */
  public <T> T flushTogether(Table table, Supplier<T> look) {
    try {
      Optional<T> seen = Optional.empty();
      while (seen.isEmpty()) { // again if the schema changed meanwhile
        seen = run.flushTogether(table, worker::isClosing, look);
      }
      return seen.get();
    } catch (CancellationException e) {
      throw new UnavailableException("flush was given up: the server is being closed", e);
    } catch (IOException e) {
      throw new UnavailableException("table \"" + table.name() + "\" was not flushed: " + e, e);
    }
  }

  /**
   * Writes what tablets that take no more writes have in memory to files of their own, which are in
   * their chains when it returns. The log keeps what they had until they are {@link #gone}.
   */
  public void flushOut(Table table, Set<Tablet> leaving) {
    try {
      run.flushOut(table, leaving);
    } catch (IOException e) {
      throw new UnavailableException(
          "tablets of table \"" + table.name() + "\" were not written to disk: " + e, e);
    }
  }

  /** Tablets that were flushed out have left, or stay. */
  public void gone(Set<Tablet> tablets) {
    run.gone(tablets);
  }

  /** Runs something while no flush can change a chain. */
  public <T> T pausing(Supplier<T> action) {
    return run.pausing(action);
  }

  /** Mem fragments are gone without a flush. */
  public void freed(long bytes) {
    memory.add(-bytes);
    wake();
  }

  private void flush(Table table, String group) {
    try {
      while (!run.flush(table, group, worker::isClosing)) {
        // The schema changed meanwhile: what was written fits no longer.
      }
    } catch (CancellationException e) {
      throw new UnavailableException("flush was given up: the server is being closed", e);
    } catch (IOException e) {
      throw new UnavailableException(
          "group \"" + group + "\" of table \"" + table.name() + "\" was not flushed: " + e, e);
    }
  }

  private void work() {
    try {
      for (Optional<Candidate> next = choose();
          next.isPresent() && !worker.isClosing();
          next = choose()) {
        flush(next.get().table(), next.get().group());
      }
    } catch (RuntimeException e) { // one that got away would leave memory full for good
      if (!worker.isClosing()) {
        server.report(new TableEvent.BackgroundFailed("flush", e));
        worker.pause(RETRY);
      }
    }
  }

  /** The group that is to be flushed next, if one is. */
  Optional<Candidate> choose() {
    long held = log.bytesFrom(release.neededByMemory()); // more flushes free nothing else
    boolean urgent =
        memory.fullness() > BUSY
            || memory.isAwaited()
            || held > settings.logBytes()
            || room.isLow();
    Candidate best = null;
    for (Table table : tables.get()) {
      TableView view = table.view();
      for (GroupView group : view.groups()) {
        if (group.isEmpty() || (!urgent && group.frozen().isEmpty())) {
          continue;
        }
        double weight =
            settings.memoryWeight() * group.bytes()
                + settings.logWeight() * log.bytesFrom(group.minTxn());
        if (best == null || weight > best.weight()) {
          best = new Candidate(table, group.schema().name(), weight);
        }
      }
    }
    return Optional.ofNullable(best);
  }

  @Override
  public void close() {
    worker.close();
  }
}
