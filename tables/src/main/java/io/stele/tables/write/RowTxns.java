package io.stele.tables.write;

import io.stele.base.bytes.Binary;
import java.util.Arrays;

/**
 * The newest transaction of rows, in bounded memory: exact for rows that were changed of late, and
 * never too low for the others. Rows are known by a hash of table and row; two rows with one hash
 * share the newer transaction. Under the commit lock.
 *
 * <p>A table of buckets of four. A row that finds its bucket full takes the place of the oldest one
 * in it, whose transaction then is the least that any forgotten row may have: the floor. Rows that
 * came with a tablet from elsewhere are as new as that tablet ({@code TabletView.sinceTxn}), which
 * the caller compares too.
 */
final class RowTxns {
  private static final int WAYS = 4;

  private final long[] hashes;
  private final long[] txns; // 0 for a free place
  private final int mask;
  private long floor;

  /** Remembers about so many rows. */
  RowTxns(int rows, long floor) {
    int buckets = Integer.highestOneBit(Math.max(16, rows / WAYS));
    this.hashes = new long[buckets * WAYS];
    this.txns = new long[buckets * WAYS];
    this.mask = buckets - 1;
    this.floor = floor;
  }

  /** The newest transaction that may have changed a row. */
  long newest(long hash) {
    int bucket = bucket(hash);
    for (int i = bucket; i < bucket + WAYS; i++) {
      if (hashes[i] == hash && txns[i] != 0) {
        return txns[i];
      }
    }
    return floor;
  }

  void note(long hash, long txn) {
    int bucket = bucket(hash);
    int oldest = bucket;
    for (int i = bucket; i < bucket + WAYS; i++) {
      if (hashes[i] == hash) {
        txns[i] = txn;
        return;
      }
      if (txns[i] < txns[oldest]) {
        oldest = i;
      }
    }
    floor = Math.max(floor, txns[oldest]);
    hashes[oldest] = hash;
    txns[oldest] = txn;
  }

  private int bucket(long hash) {
    return ((int) (hash >>> 32) & mask) * WAYS;
  }

  /** A row's hash; tables differ by their seed. */
  static long hash(long seed, byte[] row, int offset, int length) {
    long h = seed ^ (length * 0x9e3779b97f4a7c15L);
    int at = offset;
    int end = offset + length;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      h = mix(h ^ Binary.getLong(row, at));
    }
    long rest = 0;
    for (; at < end; at++) {
      rest = (rest << 8) | (row[at] & 0xff);
    }
    return mix(h ^ rest);
  }

  private static long mix(long value) {
    long h = value * 0xff51afd7ed558ccdL;
    h ^= h >>> 33;
    h *= 0xc4ceb9fe1a85ec53L;
    return h ^ (h >>> 29);
  }

  @Override
  public String toString() {
    return "RowTxns(floor " + floor + ", " + Arrays.stream(txns).filter(t -> t > 0).count() + ")";
  }
}
