package io.stele.engine.compaction;

import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.engine.disk.Garbage;
import io.stele.engine.merge.History;
import io.stele.engine.merge.History.Part;
import io.stele.engine.merge.HistoryFloor;
import java.util.Optional;

/** Counts, while a fragment is written, what the floor of the history will make superfluous. */
final class GarbageCount {
  private final History history;
  private final long dropped; // a rooted rewrite has dropped what there was up to this change
  private long bytes;
  private long deletions;
  private long first = Long.MAX_VALUE;
  private long last = -1;

  GarbageCount(HistoryFloor floor, boolean rooted) {
    this.history = floor.history();
    this.dropped = rooted ? floor.change() : HistoryFloor.NOTHING;
  }

  void add(CellView cell) {
    if (cell.kind != CellKind.PUT) {
      return;
    }
    Part part = history.part(cell);
    if (part == Part.NONE || part == Part.FIRST) {
      return;
    }
    long change = history.change(cell);
    if (change <= dropped) {
      return;
    }
    first = Math.min(first, change);
    last = Math.max(last, change);
    bytes += cell.size();
    if (part == Part.DELETION) {
      deletions++;
    }
  }

  /** Nothing if there is no history. */
  Optional<Garbage> sum() {
    if (history.equals(History.NONE)) {
      return Optional.empty();
    }
    return Optional.of(last < 0 ? Garbage.NOTHING : new Garbage(bytes, deletions, first, last));
  }
}
