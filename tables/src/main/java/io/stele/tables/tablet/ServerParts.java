package io.stele.tables.tablet;

import io.stele.base.error.SteleException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.schema.GroupSchema;
import io.stele.base.time.Clock;
import io.stele.engine.chain.Link;
import io.stele.engine.compaction.CompactionJob;
import io.stele.engine.disk.Codec;
import io.stele.engine.disk.FragmentSettings;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.merge.Older;
import io.stele.tables.event.TableEvent;
import io.stele.tables.txn.Sequencer;
import io.stele.tables.txn.Snapshots;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/** What all workers of a tablet server share. */
public record ServerParts(
    FileStore files,
    FragmentFiles names,
    CommitLock lock,
    Sequencer sequencer,
    Snapshots snapshots,
    Clock clock,
    RandomGenerator random,
    FileHealth health,
    Consumer<TableEvent> events) {

  /** Tells of something; what a listener throws must not end a worker. */
  public void report(TableEvent event) {
    if (event instanceof TableEvent.WorkerDied died) {
      sequencer.failed(died.cause()); // a server that does not do all its work answers nothing
    }
    try {
      events.accept(event);
    } catch (RuntimeException e) {
      // It is the listener's affair.
    }
  }

  /** A fragment could not be opened or read, or is damaged. */
  public void unreadable(FilePath path, SteleException problem) {
    health.unreadable(path, problem).ifPresent(this::report);
  }

  /** All of a fragment was read that could not be read before, or nothing needs it any more. */
  public void readable(FilePath path) {
    health.readable(path).ifPresent(this::report);
  }

  /**
   * Writes cells of a group to a new file, which is pending until it is settled or discarded.
   *
   * @param older what the chains that get the file have before the inputs
   * @param origin what the file says of itself
   * @param cancelled asked now and then
   * @return nothing, and no file, if no cell had to be kept
   * @throws CancellationException if it was cancelled; no file is left
   */
  public Optional<FilePath> write(
      List<Link> inputs,
      UnaryOperator<CellCursor> gate,
      Older older,
      GroupSchema group,
      FragmentOrigin origin,
      BooleanSupplier cancelled)
      throws IOException {
    FilePath output = names.create();
    CompactionJob job =
        new CompactionJob(
            files,
            output,
            inputs,
            gate,
            older,
            snapshots.current(),
            group.purge(),
            fragmentSettings(group, origin),
            clock.micros(),
            random.nextLong());
    boolean written = false;
    try {
      written = job.run(cancelled).isPresent();
      health.written().ifPresent(this::report);
      return written ? Optional.of(output) : Optional.empty();
    } catch (IOException e) {
      health.notWritten(output, e).ifPresent(this::report);
      throw e;
    } finally {
      if (!written) {
        names.settled(output);
      }
    }
  }

  /**
   * Deletes a file that was written for nothing. If that fails, it is found later as one that no
   * configuration names.
   */
  public void discard(FilePath path) {
    try {
      files.delete(path);
    } catch (IOException e) {
      report(new TableEvent.BackgroundFailed("deletion of " + path, e));
    }
    names.settled(path);
  }

  private static FragmentSettings fragmentSettings(GroupSchema group, FragmentOrigin origin) {
    Codec codec =
        switch (group.compression()) {
          case NONE -> Codec.NONE;
          case LZ4 -> Codec.LZ4;
          case ZSTD -> Codec.ZSTD;
          case SNAPPY -> Codec.SNAPPY;
        };
    return new FragmentSettings(codec, group.blockSize(), origin.label());
  }
}
