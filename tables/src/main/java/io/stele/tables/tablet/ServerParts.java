package io.stele.tables.tablet;

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
import java.util.List;
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

  /**
   * A job that writes cells of a group to a new file.
   *
   * @param older what the chains that get the file have before the inputs
   * @param origin what the file says of itself
   */
  public CompactionJob job(
      FilePath output,
      List<Link> inputs,
      UnaryOperator<CellCursor> gate,
      Older older,
      GroupSchema group,
      FragmentOrigin origin) {
    return new CompactionJob(
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
