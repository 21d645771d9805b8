package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ReadPredicate;
import io.stele.engine.Scan;
import io.stele.engine.Snapshot;
import io.stele.engine.Store;
import io.stele.engine.merge.HistoryFloor;
import io.stele.engine.merge.HistoryWalk;
import io.stele.engine.merge.HistoryWalk.Verdict;
import io.stele.metastore.command.ClusterVersion;
import java.util.Optional;

/**
 * All cells of a state that somebody may ask for, history included, but for the place in the log:
 * the same on all members that have applied the same log. What lies in the store below the floor of
 * the history and is left out here depends on when a member rewrote which files.
 */
final class ReadableCells implements AutoCloseable {
  private final Scan scan;
  private final HistoryWalk history;
  private Bytes row = Bytes.EMPTY; // of the last version

  ReadableCells(Store store, Snapshot at) {
    this.history = new HistoryWalk(new HistoryFloor(StoredHistory.ALL, floor(store, at)));
    this.scan = store.scan(ReadPredicate.ALL, at);
  }

  /** As the state of that time says. */
  private static long floor(Store store, Snapshot at) {
    Optional<Bytes> cluster = store.get(Rows.CLUSTER, Rows.OTHERS, Bytes.EMPTY, at);
    if (cluster.isEmpty()
        || StateTables.cluster(cluster.get()).version() < ClusterVersion.WITH_FLOOR) {
      return HistoryFloor.NOTHING;
    }
    Optional<Bytes> compacted = store.get(Rows.COMPACTED, Rows.OTHERS, Bytes.EMPTY, at);
    return compacted.isEmpty()
        ? HistoryFloor.NOTHING
        : StateTables.number(Rows.COMPACTED, compacted.get()) - 1;
  }

  boolean next() {
    while (scan.next()) {
      if (isReadable(scan.cell())) {
        return true;
      }
    }
    return false;
  }

  private boolean isReadable(CellView cell) {
    if (Rows.isVersion(cell) && row.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) != 0) {
      row = cell.row();
      history.enterColumn();
    }
    return history.verdict(cell) == Verdict.READ
        && Rows.APPLIED.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) != 0;
  }

  CellView cell() {
    return scan.cell();
  }

  @Override
  public void close() {
    scan.close();
  }
}
