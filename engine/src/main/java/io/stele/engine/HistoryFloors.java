package io.stele.engine;

import io.stele.engine.merge.HistoryFloor;
import io.stele.engine.merge.SnapshotSet;
import java.util.ArrayDeque;

/**
 * The floors of a store's history: each counts for a rewrite as soon as it may.
 *
 * <p>A floor is raised by a transaction. Until that is in disk fragments, a crash can take the
 * store back to before it, and what is replayed from there on may read below the floor. And a
 * snapshot that was opened before it reads what could be read then. So a rewrite goes by the newest
 * floor that its files, once they are in place, are not ahead of, and that every open snapshot
 * sees.
 */
final class HistoryFloors {
  private record Floor(long txn, long change) {}

  private static final Floor NOTHING = new Floor(Long.MIN_VALUE, HistoryFloor.NOTHING);

  /** Ascending in both; the first one counts already. Guarded by this. */
  private final ArrayDeque<Floor> floors = new ArrayDeque<>();

  HistoryFloors() {
    floors.add(NOTHING);
  }

  synchronized void raise(long change, long txn) {
    if (change > floors.getLast().change) {
      floors.addLast(new Floor(txn, change));
    }
  }

  /** The newest floor. */
  synchronized long newest() {
    return floors.getLast().change;
  }

  /** True if the newest floor waits for its transaction to be flushed. */
  synchronized boolean awaitsFlush(long flushedTxn) {
    return floors.getLast().txn > flushedTxn;
  }

  /** True if some floor does not count yet. */
  synchronized boolean anyWaits() {
    return floors.size() > 1;
  }

  /** The floor for a rewrite of what is on disk; older ones are forgotten. */
  synchronized long onDisk(long flushedTxn, SnapshotSet snapshots) {
    long change = at(flushedTxn, snapshots);
    while (floors.getFirst().change < change) {
      floors.removeFirst();
    }
    return change;
  }

  /** The floor for a rewrite after which all up to a transaction is on disk. */
  synchronized long at(long txn, SnapshotSet snapshots) {
    long reached = Math.min(txn, snapshots.oldest());
    long change = floors.getFirst().change;
    for (Floor floor : floors) {
      if (floor.txn <= reached) {
        change = floor.change;
      }
    }
    return change;
  }
}
