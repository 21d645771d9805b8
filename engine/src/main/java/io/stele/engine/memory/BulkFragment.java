package io.stele.engine.memory;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.cell.RequestMark;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Cells that are gathered in any order and sorted once, when they are all there. Nothing can be
 * read before, so adding a cell costs no more than a copy of it: several times less than in a
 * {@link MemFragment}, which keeps its cells sorted at all times.
 *
 * <p>Sorted are eight bytes of each row, as a number, that follow what all rows have in common; the
 * cells themselves are looked at only where these are equal.
 *
 * <p>One thread at a time, and all that is added before {@link #freeze} before all that is read.
 */
public final class BulkFragment implements Fragment {
  /** Beside the cell itself: its reference and its key, twice while they are sorted. */
  private static final int BYTES_PER_CELL = 2 * (Integer.BYTES + Long.BYTES);

  private static final int FIRST_CELLS = 256;
  private static final int INSERTION_SORTED = 8;

  /** Cells to be sorted: by their keys first. */
  private static final class Entries {
    final long[] keys;
    final int[] references;

    Entries(long[] keys, int[] references) {
      this.keys = keys;
      this.references = references;
    }

    void set(int at, Entries from, int index) {
      keys[at] = from.keys[index];
      references[at] = from.references[index];
    }
  }

  private final CellArena arena = new CellArena();
  private final Set<Bytes> families = new HashSet<>();
  private final CellView left = new CellView();
  private final CellView scratch = new CellView();
  private int[] references = {}; // once frozen, in the order of the cells
  private int cells;
  private Bytes firstRow = Bytes.EMPTY;
  private int common; // bytes at the start of all rows
  private Bytes lastFamily = Bytes.EMPTY;
  private boolean wide;
  private long minTxn = Long.MAX_VALUE;
  private long maxTxn;
  private boolean frozen;

  /** Adds a cell whose key, transaction included, was not added before. */
  public void add(CellView cell) {
    if (frozen) {
      throw new IllegalStateException("a cell added to a bulk fragment that is frozen");
    }
    if (cells == 0) {
      firstRow = cell.row();
      common = firstRow.length();
    } else {
      shortenCommon(cell);
    }
    note(cell);
    if (cells == references.length) {
      references = Arrays.copyOf(references, Math.max(FIRST_CELLS, cells * 2));
    }
    references[cells++] = arena.add(cell);
  }

  private void shortenCommon(CellView cell) {
    int length = Math.min(common, cell.rowLength);
    int differs =
        Arrays.mismatch(
            firstRow.sharedArray(),
            0,
            length,
            cell.rowArray,
            cell.rowOffset,
            cell.rowOffset + length);
    common = differs < 0 ? length : differs;
  }

  private void note(CellView cell) {
    wide |= cell.kind.isWide();
    minTxn = Math.min(minTxn, cell.txn);
    maxTxn = Math.max(maxTxn, cell.txn);
    if (cell.kind != CellKind.ERASE_ROW
        && !RequestMark.is(cell)
        && (families.isEmpty()
            || lastFamily.compareTo(cell.familyArray, cell.familyOffset, cell.familyLength) != 0)) {
      lastFamily = cell.family();
      families.add(lastFamily);
    }
  }

  public boolean isEmpty() {
    return cells == 0;
  }

  /** Sorts the cells; it takes no more of them. */
  public void freeze() {
    if (frozen) {
      return;
    }
    frozen = true;
    int[] sorted = Arrays.copyOf(references, cells);
    long[] keys = new long[cells];
    for (int i = 0; i < cells; i++) {
      arena.read(sorted[i], left);
      // Flipped so that signed comparison is unsigned order.
      keys[i] =
          Binary.prefix(left.rowArray, left.rowOffset + common, left.rowLength - common)
              ^ Long.MIN_VALUE;
    }
    references = sorted;
    sort(new Entries(keys.clone(), sorted.clone()), new Entries(keys, sorted), 0, cells);
  }

  /** Sorts a part of {@code to}, of which {@code from} is a copy. */
  private void sort(Entries from, Entries to, int begin, int end) {
    if (end - begin <= INSERTION_SORTED) {
      insertionSort(from, to, begin, end);
      return;
    }
    int middle = (begin + end) >>> 1;
    sort(to, from, begin, middle);
    sort(to, from, middle, end);
    int low = begin;
    int high = middle;
    for (int at = begin; at < end; at++) {
      boolean takeLow = high == end || (low < middle && compare(from, low, from, high) < 0);
      to.set(at, from, takeLow ? low++ : high++);
    }
  }

  private void insertionSort(Entries from, Entries to, int begin, int end) {
    for (int i = begin; i < end; i++) {
      int at = i;
      while (at > begin && compare(from, i, to, at - 1) < 0) {
        to.set(at, to, at - 1);
        at--;
      }
      to.set(at, from, i);
    }
  }

  private int compare(Entries a, int i, Entries b, int j) {
    if (a.keys[i] != b.keys[j]) {
      return a.keys[i] < b.keys[j] ? -1 : 1;
    }
    arena.read(a.references[i], left);
    return arena.compare(left, b.references[j], scratch);
  }

  /** Memory held, what sorting takes included. */
  @Override
  public long bytes() {
    return arena.bytes() + (long) BYTES_PER_CELL * references.length;
  }

  @Override
  public long minTxn() {
    return minTxn;
  }

  @Override
  public long maxTxn() {
    return maxTxn;
  }

  @Override
  public boolean mayHoldWideErasures() {
    return wide;
  }

  @Override
  public Set<Bytes> families() {
    return Set.copyOf(families);
  }

  @Override
  public CellCursor cursor(TimeBounds bounds) {
    if (!frozen) {
      throw new IllegalStateException("a bulk fragment read before it is frozen");
    }
    return new Cursor();
  }

  @Override
  public Optional<CellCursor> rowCursor(CellView from) {
    return isEmpty() ? Optional.empty() : Optional.of(cursor(TimeBounds.ALL));
  }

  private final class Cursor implements CellCursor {
    private final CellView view = new CellView();
    private final CellView compared = new CellView();
    private int position = -1;

    @Override
    public boolean seek(CellView target) {
      int low = 0;
      int high = cells;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (arena.compare(target, references[middle], compared) > 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      position = low;
      return settle();
    }

    @Override
    public boolean next() {
      position = Math.min(position + 1, cells);
      return settle();
    }

    private boolean settle() {
      if (position >= cells) {
        return false;
      }
      arena.read(references[position], view);
      return true;
    }

    @Override
    public CellView cell() {
      return view;
    }
  }
}
