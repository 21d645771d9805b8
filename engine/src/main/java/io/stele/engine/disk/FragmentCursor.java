package io.stele.engine.disk;

import io.stele.base.cell.CellView;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import org.jspecify.annotations.Nullable;

/**
 * Walks a disk fragment: index root, leaf, block, entry. It skips blocks that have no cell within
 * the bounds of time, but only a few in a row. It does not know where the range that is read ends,
 * so without that limit a read of one row could walk the index of the whole file.
 */
final class FragmentCursor implements CellCursor {
  private static final int MOST_SKIPPED = 16;

  private final DiskFragment fragment;
  private final IndexBlock root;
  private final TimeBounds bounds;
  private final IndexBlock.Entry entry = new IndexBlock.Entry();
  private @Nullable IndexLeaf leaf;
  private int rootAt = -1; // the entry of the root whose leaf is loaded
  private int leafAt; // the entry of the leaf whose block is loaded
  private @Nullable BlockCursor block;
  private boolean started;

  FragmentCursor(DiskFragment fragment, TimeBounds bounds) {
    this.fragment = fragment;
    this.root = fragment.root();
    this.bounds = bounds;
  }

  /** False if the filter of the one leaf in which the row could start does not know it. */
  boolean mayHoldRow(CellView beforeRow) {
    int at = root.find(beforeRow, entry);
    if (at == root.count) {
      return false;
    }
    long hash = RowFilter.hash(beforeRow.rowArray, beforeRow.rowOffset, beforeRow.rowLength);
    return openLeaf(at).filter().mayContain(hash);
  }

  @Override
  public boolean seek(CellView target) {
    started = true;
    int at = root.find(target, entry);
    if (at == root.count) {
      return end();
    }
    IndexBlock found = openLeaf(at).index();
    leafAt = found.find(target, entry);
    entry.read(found, leafAt);
    if (entry.canSkip(bounds.from(), bounds.to())) {
      return nextBlock();
    }
    return openBlock().seek(target) || nextBlock();
  }

  @Override
  public boolean next() {
    if (!started) {
      started = true;
      if (root.count == 0) {
        return end();
      }
      openLeaf(0);
      leafAt = -1;
      return nextBlock();
    }
    return block != null && (block.next() || nextBlock());
  }

  @Override
  public CellView cell() {
    if (block == null) {
      throw new IllegalStateException("cursor on " + fragment.path() + " is at no cell");
    }
    return block.view;
  }

  private boolean nextBlock() {
    IndexBlock current = leaf == null ? null : leaf.index();
    for (int skipped = 0; current != null; skipped++) {
      if (++leafAt >= current.count) {
        if (rootAt + 1 >= root.count) {
          return end();
        }
        current = openLeaf(rootAt + 1).index();
        leafAt = 0;
      }
      entry.read(current, leafAt);
      if (skipped == MOST_SKIPPED || !entry.canSkip(bounds.from(), bounds.to())) {
        return openBlock().next();
      }
    }
    return end();
  }

  private IndexLeaf openLeaf(int at) {
    IndexLeaf current = leaf;
    if (current == null || at != rootAt) {
      entry.read(root, at);
      current = fragment.leaf(entry);
      leaf = current;
      rootAt = at;
    }
    return current;
  }

  private BlockCursor openBlock() {
    Block content = fragment.block(entry.handle());
    BlockCursor cursor = block;
    if (cursor == null) {
      cursor = new BlockCursor(content);
      block = cursor;
    } else {
      cursor.reset(content);
    }
    return cursor;
  }

  private boolean end() {
    leaf = null;
    rootAt = -1;
    if (block != null) {
      block.exhaust();
    }
    return false;
  }
}
