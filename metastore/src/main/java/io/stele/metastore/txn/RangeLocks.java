package io.stele.metastore.txn;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The ranges that open transactions touch, in the order of their keys. One thread at a time.
 *
 * <p>Invariant: no two overlap. A range that overlaps others in part cuts them at its ends and
 * fills the gaps between them, so a transaction may hold several locks for one range; every part
 * keeps the references, the writer and the recent write of the lock it was cut from.
 */
final class RangeLocks {
  private final NavigableMap<Bytes, TransactionRangeLock> byStart = new TreeMap<>();

  /** Refers to a range once more, and answers the locks that make it up. */
  List<TransactionRangeLock> hold(KeyRange range) {
    if (range.isEmpty()) {
      return List.of();
    }
    cut(range);
    List<TransactionRangeLock> held = new ArrayList<>();
    Bytes next = range.from();
    for (TransactionRangeLock lock : List.copyOf(inside(range))) {
      if (next.compareTo(lock.range().from()) < 0) {
        held.add(add(new KeyRange(next, lock.range().from())));
      }
      held.add(lock);
      next = lock.range().to();
      if (next == null) {
        break;
      }
    }
    if (next != null && (range.to() == null || next.compareTo(range.to()) < 0)) {
      held.add(add(new KeyRange(next, range.to())));
    }
    held.forEach(TransactionRangeLock::hold);
    return held;
  }

  /** Takes one reference back from a range, or from a part of one, that was held. */
  void free(KeyRange range) {
    if (range.isEmpty()) {
      return;
    }
    cut(range);
    inside(range).removeIf(lock -> !lock.free());
  }

  /** The locks that overlap a range, uncut. */
  List<TransactionRangeLock> overlapping(KeyRange range) {
    if (range.isEmpty()) {
      return List.of();
    }
    List<TransactionRangeLock> found = new ArrayList<>();
    TransactionRangeLock before = lockOf(range.from());
    if (before != null && !before.range().from().equals(range.from())) {
      found.add(before);
    }
    found.addAll(inside(range));
    return found;
  }

  /** A revision has changed a key. */
  void wrote(Bytes key, long revision) {
    TransactionRangeLock lock = lockOf(key);
    if (lock != null) {
      lock.wrote(revision);
    }
  }

  int size() {
    return byStart.size();
  }

  Collection<TransactionRangeLock> all() {
    return byStart.values();
  }

  private TransactionRangeLock add(KeyRange range) {
    TransactionRangeLock lock = new TransactionRangeLock(range);
    byStart.put(range.from(), lock);
    return lock;
  }

  private Collection<TransactionRangeLock> inside(KeyRange range) {
    Bytes to = range.to();
    return (to == null
            ? byStart.tailMap(range.from(), true)
            : byStart.subMap(range.from(), true, to, false))
        .values();
  }

  private void cut(KeyRange range) {
    cutAt(range.from());
    if (range.to() != null) {
      cutAt(range.to());
    }
  }

  private void cutAt(Bytes key) {
    TransactionRangeLock lock = lockOf(key);
    if (lock != null && !lock.range().from().equals(key)) {
      byStart.put(key, lock.splitAt(key));
    }
  }

  private @Nullable TransactionRangeLock lockOf(Bytes key) {
    Map.Entry<Bytes, TransactionRangeLock> floor = byStart.floorEntry(key);
    return floor != null && floor.getValue().range().contains(key) ? floor.getValue() : null;
  }
}
