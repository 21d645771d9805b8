package io.stele.tables.write;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.RequestMark;
import io.stele.tables.write.WritePath.Done;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The marked requests that this server has carried out and that clients may repeat; see {@link
 * RequestMark}. Under the commit lock.
 *
 * <p>A request that is not here may still have been carried out: by another server, or by this one
 * before it was restarted. That is ruled out if the request's tablet has been here for longer than
 * the request may be repeated. How long that is, is told by transactions: once a second it is noted
 * which one was the newest, and a tablet that came at an older one was here at that moment.
 */
final class Requests {
  /** With more, those that are remembered longest are forgotten early. */
  static final int MOST = 1 << 20;

  private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private record Key(String table, Bytes id) {}

  private record Expiry(long nanos, Key key) {}

  private final int most;
  private final Map<Key, Done> done = new HashMap<>();
  private final ArrayDeque<Expiry> order = new ArrayDeque<>(); // as they were added
  private final TreeMap<Long, Long> newest = new TreeMap<>(); // transactions by time

  Requests(int most) {
    this.most = most;
  }

  Optional<Done> find(String table, Bytes id) {
    return Optional.ofNullable(done.get(new Key(table, id)));
  }

  /** A request was carried out by a transaction. */
  void add(String table, RequestMark mark, Done outcome, long now) {
    Key key = new Key(table, mark.id());
    done.put(key, outcome);
    order.addLast(new Expiry(now + nanos(mark), key));
    while (!order.isEmpty() && order.getFirst().nanos() - now <= 0) {
      done.remove(order.removeFirst().key());
    }
    if (order.size() > most) {
      done.remove(order.removeFirst().key());
      newest.clear(); // from now on what is not here may have been forgotten
    }
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
    Map.Entry<Long, Long> before = newest.floorEntry(now - nanos(mark));
    return before != null && sinceTxn < before.getValue();
  }

  private static long nanos(RequestMark mark) {
    return TimeUnit.SECONDS.toNanos(mark.seconds());
  }
}
