package io.stele.tables.tablet;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The one lock of a tablet server. Under it a change is checked, gets its transaction and goes to
 * memory and to the log's queue, so all three have one order; and under it the views of tables are
 * replaced. Nobody reads a file, or waits for one, while holding it.
 */
public final class CommitLock {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition viewChanged = lock.newCondition();

  public void lock() {
    lock.lock();
  }

  public void unlock() {
    lock.unlock();
  }

  /** Runs something under the lock. */
  public void run(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  void checkHeld() {
    if (!lock.isHeldByCurrentThread()) {
      throw new IllegalStateException("a view is replaced without the commit lock");
    }
  }

  /** Wakes those who wait for a view to change. */
  void changed() {
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
