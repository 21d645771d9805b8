package io.stele.tables.write;

import io.stele.base.error.ExhaustedException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How much memory the mem fragments of all tables take, and the changes that are on their way
 * there. Writers wait while it is too much, and are woken when a flush has freed some, or when
 * another change has arrived.
 */
public final class Memory {
  private final long limit;
  private final long patienceNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition freed = lock.newCondition();
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong admitted = new AtomicLong(); // of changes on their way
  private final AtomicInteger waiting = new AtomicInteger();

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
      wake();
    }
  }

  private void wake() {
    lock.lock();
    try {
      freed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for room for a change, which counts until it is {@link #arrived}. Without locks. A change
   * may take more than the limit if no other is on its way.
   */
  void admit(long bytes) {
    if (tryAdmit(bytes)) {
      return;
    }
    lock.lock();
    try {
      waiting.incrementAndGet(); // before the next try: what arrives after it signals
      long left = patienceNanos;
      while (!tryAdmit(bytes)) {
        if (left <= 0) {
          throw new ExhaustedException(
              "changes in memory take "
                  + used.get()
                  + " bytes, those on their way there "
                  + admitted.get()
                  + ", at most "
                  + limit
                  + ", and there was no room for "
                  + bytes
                  + " more for "
                  + TimeUnit.NANOSECONDS.toSeconds(patienceNanos)
                  + " s: try again later");
        }
        left = freed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExhaustedException("interrupted while memory was full", e);
    } finally {
      waiting.decrementAndGet();
      lock.unlock();
    }
  }

  private boolean tryAdmit(long bytes) {
    while (true) {
      long others = admitted.get();
      long inUse = used.get();
      if (inUse >= limit || (others > 0 && inUse + others + bytes > limit)) {
        return false;
      }
      if (admitted.compareAndSet(others, others + bytes)) {
        return true;
      }
    }
  }

  /** A change that was admitted is in memory, in the log, or refused. */
  void arrived(long bytes) {
    admitted.addAndGet(-bytes);
    if (waiting.get() > 0) {
      wake();
    }
  }
}
