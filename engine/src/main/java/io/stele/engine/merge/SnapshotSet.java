package io.stele.engine.merge;

import java.util.Arrays;

/** The read transactions that were open when a flush or compaction began. */
public final class SnapshotSet {
  public static final SnapshotSet NONE = new SnapshotSet();

  private final long[] txns; // ascending

  public SnapshotSet(long... txns) {
    this.txns = txns.clone();
    Arrays.sort(this.txns);
  }

  /** Is one of them at {@code from} or later, but before {@code to}? */
  boolean anyIn(long from, long to) {
    int at = Arrays.binarySearch(txns, from);
    int first = at >= 0 ? at : -at - 1;
    return first < txns.length && txns[first] < to;
  }

  boolean anyBefore(long txn) {
    return txns.length > 0 && txns[0] < txn;
  }

  /** The oldest; above every transaction if there is none. */
  public long oldest() {
    return txns.length == 0 ? Long.MAX_VALUE : txns[0];
  }
}
