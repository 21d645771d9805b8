package io.stele.tables.write;

import io.stele.base.error.ExhaustedException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How much memory the mem fragments of all tables take. Writers wait while it is too much, and are
 * woken when a flush has freed some.
 */
public final class Memory {
  private final long limit;
  private final long patienceNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition freed = lock.newCondition();
  private final AtomicLong used = new AtomicLong();

  /**
   * An empty one.
   *
   * @param limit writers wait at this many bytes
   * @param patienceNanos and are turned away after so long
   */
  Memory(long limit, long patienceNanos) {
    this.limit = limit;
    this.patienceNanos = patienceNanos;
  }

  public long used() {
    return used.get();
  }

  /** How full it is, 1 at the limit. */
  double fullness() {
    return (double) used.get() / limit;
  }

  void add(long bytes) {
    used.addAndGet(bytes);
    if (bytes < 0) {
      lock.lock();
      try {
        freed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Waits for room. Without locks. */
  void throttle() {
    if (used.get() < limit) {
      return;
    }
    lock.lock();
    try {
      long left = patienceNanos;
      while (used.get() >= limit) {
        if (left <= 0) {
          throw new ExhaustedException(
              "changes in memory take "
                  + used.get()
                  + " bytes, at most "
                  + limit
                  + ", and no flush freed any for "
                  + TimeUnit.NANOSECONDS.toSeconds(patienceNanos)
                  + " s: try again later");
        }
        left = freed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExhaustedException("interrupted while memory was full", e);
    } finally {
      lock.unlock();
    }
  }
}
