package io.stele.tables.write;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.engine.commitlog.CommitLog;
import io.stele.engine.commitlog.LogReplay;
import io.stele.engine.memory.MemoryBudget;
import io.stele.tables.event.TableEvent;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TabletConfigs;
import io.stele.tables.txn.Sequencer;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** The log, the write path and the flusher of a server, put together. */
public final class WriteSide implements AutoCloseable {
  private final CommitLog log;
  private final MemoryBudget memory;
  private final WritePath path;
  private final Flusher flusher;
  private final DiskRoom room;

  /**
   * Starts a log in an empty directory.
   *
   * @param logs where logs are kept, which need not be where the fragments are
   * @param tables all that are here
   */
  public WriteSide(
      ServerParts server,
      FileStore logs,
      FilePath logDirectory,
      WriteSettings settings,
      TabletConfigs configs,
      Supplier<Collection<Table>> tables) {
    Sequencer sequencer = server.sequencer();
    this.log =
        new CommitLog(
            logs,
            logDirectory,
            settings.log(),
            server.clock(),
            LogReplay.Result.none(sequencer.assigned()),
            new CommitLog.Progress() {
              @Override
              public void begun() throws IOException {
                LogFence.check(logs, logDirectory);
              }

              @Override
              public void synced() throws IOException {
                LogFence.checkSynced(logs, logDirectory);
              }

              @Override
              public void durable(long txn) {
                sequencer.durable(txn);
              }

              @Override
              public void failed(Throwable cause) {
                if (cause instanceof Error) {
                  server.report(new TableEvent.WorkerDied("the commit log", cause));
                } else {
                  sequencer.failed(cause);
                }
              }
            });
    this.memory = new MemoryBudget(settings.memoryBytes(), settings.throttleLimit().toNanos());
    LogRelease release = new LogRelease(server, log, tables);
    FlushRun run = new FlushRun(server, memory, release, configs);
    this.room =
        new DiskRoom(
            logs.equals(server.files()) ? List.of(logs) : List.of(server.files(), logs),
            settings.diskReserve(),
            settings.log().preallocateBytes(),
            memory::used,
            server.clock(),
            server::report,
            this::freeLogs);
    this.flusher = new Flusher(server, log, memory, run, release, settings, room, tables);
    this.path =
        new WritePath(
            server.lock(),
            sequencer,
            log,
            memory,
            room,
            new RowTxns(settings.rememberedRows(), sequencer.assigned()),
            server.clock(),
            settings,
            flusher::wake,
            cause -> server.report(new TableEvent.WorkerDied("commits", cause)));
  }

  /** What is in memory goes to files, and the log that had it goes. */
  private void freeLogs() {
    log.roll();
    flusher.wake();
  }

  /** Whether the disks have room for more. */
  public DiskRoom room() {
    return room;
  }

  public void start() {
    flusher.start();
  }

  public WritePath path() {
    return path;
  }

  public Flusher flusher() {
    return flusher;
  }

  /** Bytes that mem fragments take. */
  public long memoryBytes() {
    return memory.used();
  }

  /** What is kept in memory for files to come, and how writers waited for room there. */
  public MemoryBudget memory() {
    return memory;
  }

  public CommitLog log() {
    return log;
  }

  /** Syncs the log and ends. */
  @Override
  public void close() {
    flusher.close();
    log.close();
  }
}
