package io.stele.engine.chain;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment;
import io.stele.engine.memory.MemFragment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** An empty fragment that knows its number and how often it was released. */
final class NumberedFragment implements Fragment {
  private static final MemFragment NO_CELLS = new MemFragment();

  final int number;
  final AtomicInteger releases = new AtomicInteger();

  NumberedFragment(int number) {
    this.number = number;
  }

  static List<NumberedFragment> of(Chain chain) {
    return chain.fragments().stream().map(NumberedFragment.class::cast).toList();
  }

  static void release(Fragment fragment) {
    ((NumberedFragment) fragment).releases.incrementAndGet();
  }

  @Override
  public CellCursor cursor(TimeBounds bounds) {
    return NO_CELLS.cursor(bounds);
  }

  @Override
  public Optional<CellCursor> rowCursor(CellView row) {
    return NO_CELLS.rowCursor(row);
  }

  @Override
  public boolean mayHoldWideErasures() {
    return NO_CELLS.mayHoldWideErasures();
  }

  @Override
  public Set<Bytes> families() {
    return NO_CELLS.families();
  }

  @Override
  public long minTxn() {
    return NO_CELLS.minTxn();
  }

  @Override
  public long maxTxn() {
    return NO_CELLS.maxTxn();
  }

  @Override
  public long bytes() {
    return NO_CELLS.bytes();
  }

  @Override
  public String toString() {
    return "fragment " + number;
  }
}
