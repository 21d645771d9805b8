package io.stele.tables.tablet;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that knows its place among those of a tablet server. A thread that holds one takes only
 * locks further down, so no two can wait for each other:
 *
 * <pre>
 *   ROW       a change of a row that reads it first     one for each of many rows   RowOperations
 *   COMPACT   one compaction at a time                                              Compactor
 *   SPLIT     one split or join at a time                                           Splitter
 *   CHANGE    loads, unloads, schemas, splits           one for each level of META  ChangeLocks
 *   REPLAY    logs are read                             one for each level of META  Loader
 *   SWAP      no output of a compaction is put in place                             CompactionRun
 *   FLUSH     one flush at a time; no other adds a file to a chain                  FlushRun
 *   COMMIT    transactions are given out and views replaced                         CommitLock
 * </pre>
 *
 * Of the locks of one place a thread holds one. Every other lock, and every monitor, is a leaf: who
 * holds it takes none of these. The order is checked where assertions are on, which they are in all
 * tests.
 */
public class OrderedLock extends ReentrantLock {
  /** The places, the first to be taken first. */
  public enum Place {
    ROW,
    COMPACT,
    SPLIT,
    CHANGE,
    REPLAY,
    SWAP,
    FLUSH,
    COMMIT
  }

  private static final ThreadLocal<Deque<OrderedLock>> HELD =
      ThreadLocal.withInitial(ArrayDeque::new); // the last taken first; kept for assertions only

  private final Place place;

  public OrderedLock(Place place) {
    this.place = place;
  }

  @Override
  public void lock() {
    assert mayBeTaken() : place + " is taken by one who holds " + HELD.get().getFirst().place;
    super.lock();
    assert noteTaken();
  }

  /** It waits for nobody, so it may be tried in any order. */
  @Override
  public boolean tryLock() {
    boolean taken = super.tryLock();
    assert !taken || noteTaken();
    return taken;
  }

  @Override
  public void unlock() {
    super.unlock();
    assert HELD.get().removeFirstOccurrence(this);
  }

  private boolean mayBeTaken() {
    return isHeldByCurrentThread()
        || HELD.get().stream().allMatch(held -> held.place.compareTo(place) < 0);
  }

  private boolean noteTaken() {
    HELD.get().addFirst(this);
    return true;
  }
}
