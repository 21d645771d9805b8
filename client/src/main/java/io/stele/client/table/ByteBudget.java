package io.stele.client.table;

import io.stele.base.error.ExhaustedException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many bytes a client has under way. Whoever would add beyond the bound waits, except the
 * network's own threads, on which the answers come that would end the wait.
 */
final class ByteBudget {
  private final long most;
  private final AtomicLong used = new AtomicLong();
  private final AtomicInteger waiters = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition released = lock.newCondition();

  ByteBudget(long most) {
    this.most = most;
  }

  /** Takes bytes, which any number of others may have taken as long as they are few enough. */
  void take(long bytes, boolean mayWait, Duration atMost) {
    if (mayWait && used.get() > most) {
      await(atMost);
    }
    used.addAndGet(bytes);
  }

  private void await(Duration atMost) {
    long left = atMost.toNanos();
    lock.lock();
    waiters.incrementAndGet(); // before looking again, so that no release goes unnoticed
    try {
      while (used.get() > most) {
        if (left <= 0) {
          throw new ExhaustedException(
              used.get() + " bytes are under way and none were answered within " + atMost);
        }
        left = released.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExhaustedException("interrupted while " + used.get() + " bytes were under way", e);
    } finally {
      waiters.decrementAndGet();
      lock.unlock();
    }
  }

  void release(long bytes) {
    if (used.addAndGet(-bytes) <= most && waiters.get() > 0) {
      lock.lock();
      try {
        released.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  long used() {
    return used.get();
  }
}
