package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Which keys were changed when, of late: what a transaction's reads are checked against without
 * touching the store. It forgets the oldest changes first, and knows everything above its floor.
 * For the applying thread alone.
 */
final class RecentWrites {
  private record Write(Bytes key, long revision) {}

  private final int capacity;
  private final ArrayDeque<Write> order = new ArrayDeque<>();

  /** Invariant: of the writes in {@code order} but the last ones, by key, the newest revision. */
  private final NavigableMap<Bytes, Long> newest = new TreeMap<>();

  /** How many of the last ones: they wait until someone asks, as most writers have no readers. */
  private int waiting;

  private long floor;

  /**
   * Starts with nothing.
   *
   * @param floor the newest revision now
   */
  RecentWrites(int capacity, long floor) {
    this.capacity = capacity;
    this.floor = floor;
  }

  /** Everything that changed after this revision is known. */
  long floor() {
    return floor;
  }

  void add(Bytes key, long revision) {
    order.addLast(new Write(key, revision));
    waiting++;
    while (order.size() > capacity) {
      if (waiting == order.size()) {
        waiting--;
      }
      Write oldest = order.removeFirst();
      newest.remove(oldest.key, oldest.revision);
      floor = Math.max(floor, oldest.revision);
    }
  }

  /** Everything up to a revision is known no longer: it changed more than is worth to know. */
  void forget(long revision) {
    order.clear();
    newest.clear();
    waiting = 0;
    floor = Math.max(floor, revision);
  }

  private void index() {
    Iterator<Write> last = order.descendingIterator();
    for (; waiting > 0; waiting--) {
      Write write = last.next();
      newest.merge(write.key, write.revision, Math::max);
    }
  }

  /** Was a key of the range changed after a revision, which is not below the floor? */
  boolean changedAfter(KeyRange range, long revision) {
    index();
    if (range.isSingle()) {
      Long changed = newest.get(range.from());
      return changed != null && changed > revision;
    }
    Bytes to = range.to();
    NavigableMap<Bytes, Long> inside =
        to == null
            ? newest.tailMap(range.from(), true)
            : newest.subMap(range.from(), true, to, false);
    // The fewer of the two: the keys of the range, or the changes since.
    Iterator<Write> since = order.descendingIterator();
    for (long changed : inside.values()) {
      if (changed > revision) {
        return true;
      }
      if (!since.hasNext()) {
        return false;
      }
      Write write = since.next();
      if (write.revision <= revision) {
        return false;
      }
      if (range.contains(write.key)) {
        return true;
      }
    }
    return false;
  }
}
