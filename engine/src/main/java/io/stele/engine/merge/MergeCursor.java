package io.stele.engine.merge;

import io.stele.base.cell.CellView;
import io.stele.engine.fragment.CellCursor;
import java.util.List;

/**
 * Many sorted cursors read as one, in the order of {@link CellView#compareTo}. A cell that several
 * sources hold, transaction and all, comes once: this happens when a log is replayed that had been
 * flushed in part.
 *
 * <p>A binary heap of sources with the smallest on top. When the top's next cell is still smaller
 * than its best child's, which is usual in runs, nothing moves.
 *
 * <p>Of one row, a source is done as soon as it stands on another: when the rest of the row is in
 * one source, which is usual, nothing is compared or copied any more.
 */
public final class MergeCursor implements CellCursor {
  private final CellCursor[] sources;
  private final CellCursor[] heap;
  private final boolean oneRow;
  private int size;
  private boolean started;
  private final KeyCopy row = new KeyCopy(); // the one of the last seek

  // A copy of the key last handed out, kept only when two sources may hold the same cell.
  private final KeyCopy last = new KeyCopy();

  private MergeCursor(CellCursor[] sources, boolean oneRow) {
    this.sources = sources;
    this.oneRow = oneRow;
    this.heap = new CellCursor[sources.length];
  }

  /** Merges; a single source is handed back as it is. */
  public static CellCursor of(List<CellCursor> sources) {
    return sources.size() == 1
        ? sources.getFirst()
        : new MergeCursor(sources.toArray(CellCursor[]::new), false);
  }

  /**
   * Merges for a reader of one row, who seeks to it first and wants nothing behind it: what comes
   * after the row may be missing.
   */
  public static CellCursor ofRow(List<CellCursor> sources) {
    return sources.size() == 1
        ? sources.getFirst()
        : new MergeCursor(sources.toArray(CellCursor[]::new), true);
  }

  @Override
  public boolean seek(CellView target) {
    started = true;
    size = 0;
    if (oneRow) {
      row.setRow(target);
    }
    for (CellCursor source : sources) {
      if (source.seek(target) && (!oneRow || source.cell().sameRow(target))) {
        heap[size++] = source;
      }
    }
    heapify();
    return size > 0;
  }

  @Override
  public boolean next() {
    if (!started) {
      started = true;
      for (CellCursor source : sources) {
        if (source.next()) {
          heap[size++] = source;
        }
      }
      heapify();
      return size > 0;
    }
    if (size > 1) {
      last.set(heap[0].cell());
      do {
        advanceTop();
      } while (size > 0 && last.equalTo(heap[0].cell()));
    } else if (size == 1) {
      advanceTop();
    }
    return size > 0;
  }

  @Override
  public CellView cell() {
    return heap[0].cell();
  }

  private void advanceTop() {
    boolean more = heap[0].next();
    if (!more || (oneRow && size > 1 && !row.view().sameRow(heap[0].cell()))) {
      heap[0] = heap[--size];
    }
    siftDown(0);
  }

  private void heapify() {
    for (int i = size / 2 - 1; i >= 0; i--) {
      siftDown(i);
    }
  }

  private void siftDown(int from) {
    int at = from;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        return;
      }
      if (child + 1 < size && heap[child + 1].cell().compareTo(heap[child].cell()) < 0) {
        child++;
      }
      if (heap[at].cell().compareTo(heap[child].cell()) <= 0) {
        return;
      }
      CellCursor swap = heap[at];
      heap[at] = heap[child];
      heap[child] = swap;
      at = child;
    }
  }

  @Override
  public void close() {
    for (CellCursor source : sources) {
      source.close();
    }
  }
}
