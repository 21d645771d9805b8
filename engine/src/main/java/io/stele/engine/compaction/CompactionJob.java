package io.stele.engine.compaction;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.FragmentProperties;
import io.stele.engine.disk.FragmentSettings;
import io.stele.engine.disk.FragmentWriter;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.merge.ErasureExpiry;
import io.stele.engine.merge.HistoryFloor;
import io.stele.engine.merge.Older;
import io.stele.engine.merge.Resolution;
import io.stele.engine.merge.RetainCursor;
import io.stele.engine.merge.Retained;
import io.stele.engine.merge.SnapshotSet;
import io.stele.engine.merge.TimeRetainCursor;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * One attempt to rewrite adjacent links of a chain as one fragment: a compaction, or a flush, whose
 * inputs are mem fragments. It only writes a file; whether that replaces the inputs is decided by
 * whoever owns the chain, when the job is done.
 *
 * @param gate leaves out cells that are not for this output, such as those of other tablets
 * @param older the fragments of the chain before the inputs
 * @param expiry of erasures, in a job by time without older fragments
 * @param floor of the history; what is garbage below it is left out, and what will be is counted
 * @param now microseconds, for the purge policy
 * @param fileId a random number for the new file
 */
public record CompactionJob(
    FileStore files,
    FilePath output,
    List<Link> inputs,
    UnaryOperator<CellCursor> gate,
    Older older,
    Resolution resolution,
    ErasureExpiry expiry,
    SnapshotSet snapshots,
    PurgePolicy purge,
    HistoryFloor floor,
    FragmentSettings settings,
    long now,
    long fileId) {
  private static final int CELLS_BETWEEN_CHECKS = 1024;

  public CompactionJob {
    inputs = List.copyOf(inputs);
  }

  /** A job by commit, without a history. */
  public CompactionJob(
      FileStore files,
      FilePath output,
      List<Link> inputs,
      UnaryOperator<CellCursor> gate,
      Older older,
      SnapshotSet snapshots,
      PurgePolicy purge,
      FragmentSettings settings,
      long now,
      long fileId) {
    this(
        files,
        output,
        inputs,
        gate,
        older,
        Resolution.BY_COMMIT,
        ErasureExpiry.NEVER,
        snapshots,
        purge,
        HistoryFloor.NONE,
        settings,
        now,
        fileId);
  }

  /**
   * Writes the output and makes it durable.
   *
   * @return nothing, and no file, if no cell had to be kept
   * @throws CancellationException if asked to stop; no file is left
   */
  public Optional<FragmentProperties> run(BooleanSupplier cancelled) throws IOException {
    Optional<FragmentProperties> written = Optional.empty();
    try (CellCursor merged = gate.apply(Chain.cursor(inputs, TimeBounds.ALL));
        FragmentWriter writer = new FragmentWriter(files, output, settings, fileId)) {
      Retained kept = retained(merged);
      GarbageCount garbage = new GarbageCount(floor, !older.any());
      for (int n = 1; kept.next(); n++) {
        writer.add(kept.cell());
        garbage.add(kept.cell());
        if (n % CELLS_BETWEEN_CHECKS == 0 && cancelled.getAsBoolean()) {
          throw new CancellationException("compaction into " + output + " was cancelled");
        }
      }
      if (writer.cellCount() > 0) {
        written = Optional.of(writer.finish(garbage.sum()));
      }
    } finally {
      if (written.isEmpty()) {
        files.delete(output);
      }
    }
    return written;
  }

  private Retained retained(CellCursor merged) {
    return resolution.isByTime()
        ? new TimeRetainCursor(merged, snapshots, older, expiry, purge, now)
        : new RetainCursor(merged, snapshots, older, purge, floor, now);
  }
}
