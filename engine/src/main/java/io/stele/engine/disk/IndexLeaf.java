package io.stele.engine.disk;

import io.stele.engine.cache.CachedBlock;

/** A leaf of the index and the filter over its rows: always wanted together, so cached as one. */
record IndexLeaf(IndexBlock index, RowFilter filter) implements CachedBlock {
  @Override
  public int weight() {
    return index.weight() + filter.weight() + 24;
  }
}
