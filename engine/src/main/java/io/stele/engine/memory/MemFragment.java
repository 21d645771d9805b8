package io.stele.engine.memory;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.cell.RequestMark;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Predicate;

/**
 * Sorted cells in memory, to be flushed to a file later.
 *
 * <p>One writer at a time, which the owner sees to; readers at any time, without locks. Batches are
 * added in the order of their transactions, so the fragment holds a contiguous run of them: {@code
 * minTxn..maxTxn}. Frozen, it takes no more writes, and is then as immutable as a file.
 */
public final class MemFragment implements Fragment {
  private static final Bytes NO_FAMILY = Bytes.EMPTY;

  private final CellArena arena = new CellArena();
  private final CellTree tree = new CellTree(arena);
  private final Set<Bytes> families = new ConcurrentSkipListSet<>();

  // Written by the writer before the cells that they speak of are published in the tree.
  private volatile boolean wide;
  private volatile long maxTxn;
  private volatile long bytes;
  private volatile long minTxn = Long.MAX_VALUE;
  private volatile long minTimestamp = Long.MAX_VALUE;
  private long cells;
  private volatile boolean frozen;
  private Bytes lastFamily = NO_FAMILY;

  /** Adds the cells of one transaction, all visible from then on to readers at that transaction. */
  public void add(CellBatch batch) {
    begin(batch.txn());
    CellBatch.Reader reader = batch.read();
    while (reader.next()) {
      add(reader.cell());
    }
    bytes = arena.bytes() + tree.bytes();
  }

  /** Adds those cells of one transaction that belong here; the others belong elsewhere. */
  public void add(CellBatch batch, Predicate<CellView> belongs) {
    boolean begun = false;
    CellBatch.Reader reader = batch.read();
    while (reader.next()) {
      CellView cell = reader.cell();
      if (belongs.test(cell)) {
        if (!begun) {
          begun = true;
          begin(batch.txn());
        }
        add(cell);
      }
    }
    bytes = arena.bytes() + tree.bytes();
  }

  private void begin(long txn) {
    if (frozen || txn <= maxTxn) {
      throw new IllegalStateException(
          "transaction "
              + txn
              + " added to a mem fragment "
              + (frozen ? "that is frozen" : "that is at " + maxTxn));
    }
    minTxn = Math.min(minTxn, txn);
    maxTxn = txn;
  }

  private void add(CellView cell) {
    note(cell);
    tree.add(cell);
    cells++;
  }

  private void note(CellView cell) {
    if (cell.timestamp < minTimestamp) { // that of a wide erasure never is
      minTimestamp = cell.timestamp;
    }
    if (cell.kind.isWide() && !wide) {
      wide = true;
    }
    if (cell.kind != CellKind.ERASE_ROW
        && !RequestMark.is(cell)
        && lastFamily.compareTo(cell.familyArray, cell.familyOffset, cell.familyLength) != 0) {
      lastFamily = cell.family();
      families.add(lastFamily);
    }
  }

  /** Ends writing. */
  public void freeze() {
    frozen = true;
  }

  public boolean isFrozen() {
    return frozen;
  }

  public boolean isEmpty() {
    return maxTxn == 0;
  }

  public long cellCount() {
    return cells;
  }

  /** Memory held, to the byte of what the structures allocate. */
  @Override
  public long bytes() {
    return bytes;
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
  public long minTimestamp() {
    return minTimestamp;
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
    return new TreeCursor(arena, tree);
  }

  @Override
  public Optional<CellCursor> rowCursor(CellView from) {
    return isEmpty() ? Optional.empty() : Optional.of(new TreeCursor(arena, tree));
  }
}
