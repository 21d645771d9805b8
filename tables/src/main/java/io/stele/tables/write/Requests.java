package io.stele.tables.write;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.RequestMark;
import io.stele.tables.write.WritePath.Done;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The marked requests that this server has carried out and that clients may repeat; see {@link
 * RequestMark}. Under the commit lock.
 *
 * <p>They are in two generations of arrays, so that many of them cost the garbage collector nothing
 * and the old ones go at once. A request is known by 128 bits of hash of its table and id.
 *
 * <p>A request that is not here may still have been carried out: by another server, or by this one
 * before it was restarted. That is ruled out if the request's tablet has been here for longer than
 * the request may be repeated. How long that is, is told by transactions: once a second it is noted
 * which one was the newest, and a tablet that came at an older one was here at that moment.
 */
final class Requests {
  /** With more in a generation, the older one is forgotten early. */
  static final int MOST = 1 << 20;

  private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long OTHER_SEED = 0x6a09e667f3bcc909L;

  /** Requests by their hashes, with linear probing; never more than half full. */
  private static final class Generation {
    private long[] high = new long[64];
    private long[] low = new long[64];
    private long[] txns = new long[64]; // 0 for a free place
    private final Map<Long, Bytes> answers = new HashMap<>(); // by transaction; of those with one
    private int count;
    private long longestNanos;

    private int place(long h, long l) {
      int mask = txns.length - 1;
      int at = (int) h & mask;
      while (txns[at] != 0 && (high[at] != h || low[at] != l)) {
        at = (at + 1) & mask;
      }
      return at;
    }

    Optional<Done> find(long h, long l) {
      long txn = txns[place(h, l)];
      return txn == 0
          ? Optional.empty()
          : Optional.of(new Done(txn, answers.getOrDefault(txn, Bytes.EMPTY)));
    }

    void add(long h, long l, Done outcome) {
      if (2 * (count + 1) > txns.length) {
        grow();
      }
      put(h, l, outcome.txn());
      count++;
      if (!outcome.answer().isEmpty()) {
        answers.put(outcome.txn(), outcome.answer());
      }
    }

    private void put(long h, long l, long txn) {
      int at = place(h, l);
      high[at] = h;
      low[at] = l;
      txns[at] = txn;
    }

    private void grow() {
      long[] oldHigh = high;
      long[] oldLow = low;
      long[] oldTxns = txns;
      high = new long[2 * oldTxns.length];
      low = new long[2 * oldTxns.length];
      txns = new long[2 * oldTxns.length];
      for (int i = 0; i < oldTxns.length; i++) {
        if (oldTxns[i] != 0) {
          put(oldHigh[i], oldLow[i], oldTxns[i]);
        }
      }
    }
  }

  private final int most;
  private final TreeMap<Long, Long> newest = new TreeMap<>(); // transactions by time
  private Generation current = new Generation();
  private Generation before = new Generation();
  private long currentSince;

  Requests(int most) {
    this.most = most;
  }

  private static long hash(String table, Bytes id, long seed) {
    return RowTxns.hash(table.hashCode() * seed, id.sharedArray(), 0, id.length());
  }

  private static long high(String table, Bytes id) {
    return hash(table, id, 0x9e3779b97f4a7c15L);
  }

  private static long low(String table, Bytes id) {
    return hash(table, id, OTHER_SEED) ^ OTHER_SEED;
  }

  Optional<Done> find(String table, Bytes id) {
    long high = high(table, id);
    long low = low(table, id);
    return current.find(high, low).or(() -> before.find(high, low));
  }

  /** A request was carried out by a transaction. */
  void add(String table, RequestMark mark, Done outcome, long now) {
    long longest = Math.max(current.longestNanos, before.longestNanos);
    boolean full = current.count >= most;
    if (full || (current.count > 0 && now - currentSince >= longest)) {
      if (full && now - currentSince < longest) {
        newest.clear(); // from now on what is not here may have been forgotten
      }
      before = current;
      current = new Generation();
    }
    if (current.count == 0) {
      currentSince = now;
    }
    current.longestNanos = Math.max(current.longestNanos, nanos(mark));
    current.add(high(table, mark.id()), low(table, mark.id()), outcome);
    if (newest.isEmpty() || now - newest.lastKey() >= SAMPLE_NANOS) {
      newest.put(now, outcome.txn());
      newest.headMap(now - TimeUnit.SECONDS.toNanos(2L * RequestMark.LONGEST_SECONDS)).clear();
    }
  }

  /**
   * Whether a request that is not here was certainly not carried out.
   *
   * @param sinceTxn when its tablet came here
   */
  boolean knowsAll(long sinceTxn, RequestMark mark, long now) {
    Map.Entry<Long, Long> sample = newest.floorEntry(now - nanos(mark));
    return sample != null && sinceTxn < sample.getValue();
  }

  private static long nanos(RequestMark mark) {
    return TimeUnit.SECONDS.toNanos(mark.seconds());
  }
}
