package io.stele.tables.tablet;

import io.stele.tables.tablet.OrderedLock.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;

/**
 * The one lock of a tablet server. Under it a change is checked, gets its transaction and goes to
 * memory and to the log's queue, so all three have one order; and under it the views of tables are
 * replaced. Nobody reads or closes a file, or waits for one, while holding it.
 */
public final class CommitLock extends OrderedLock {
  private final Condition viewChanged = newCondition();
  private final List<Runnable> afterwards = new ArrayList<>(); // by its holder only

  public CommitLock() {
    super(Place.COMMIT);
  }

  /** Gives it back, and then does what was to wait for that. */
  @Override
  public void unlock() {
    List<Runnable> tasks = List.of();
    if (getHoldCount() == 1 && !afterwards.isEmpty()) {
      tasks = List.copyOf(afterwards);
      afterwards.clear();
    }
    super.unlock();
    tasks.forEach(Runnable::run);
  }

  /** Has something done by the thread that holds the lock, once it no longer does. */
  void afterUnlock(Runnable task) {
    checkHeld();
    afterwards.add(task);
  }

  /** Runs something under the lock. */
  public void run(Runnable action) {
    lock();
    try {
      action.run();
    } finally {
      unlock();
    }
  }

  void checkHeld() {
    if (!isHeldByCurrentThread()) {
      throw new IllegalStateException("a view is replaced without the commit lock");
    }
  }

  /** Wakes those who wait for a view, or the state of a table, to change. */
  public void changed() {
    viewChanged.signalAll();
  }

  /** Waits for a view to change, without the lock meanwhile; returns what is left of the time. */
  @SuppressWarnings("WaitNotInLoop") // whoever waits looks again
  public long await(long nanos) {
    try {
      return viewChanged.awaitNanos(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }
}
