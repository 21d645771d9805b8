package io.stele.engine.memory;

import io.stele.base.error.ExhaustedException;
import io.stele.base.metric.Waits;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory that the mem fragments of a server take together, with the changes that are on their
 * way there. Writers wait while it is too much, and are woken when a flush has freed some, or when
 * another change has arrived.
 */
public final class MemoryBudget {
  /** A change of this size counts as on its way until the log has let go of it. */
  public static final long LARGE = 1 << 20;

  /** Of the limit: if no more is used than this part of it, memory is as good as empty. */
  private static final int LITTLE = 4;

  private final long limit;
  private final long patienceNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition freed = lock.newCondition();
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong admitted = new AtomicLong(); // of changes on their way
  private final AtomicInteger waiting = new AtomicInteger();
  private final Waits waits = new Waits();

  /**
   * An empty one.
   *
   * @param limit writers wait at this many bytes
   * @param patienceNanos and are turned away after so long
   */
  public MemoryBudget(long limit, long patienceNanos) {
    this.limit = limit;
    this.patienceNanos = patienceNanos;
  }

  public long used() {
    return used.get();
  }

  public long limit() {
    return limit;
  }

  /** Of writers for room. */
  public Waits waits() {
    return waits;
  }

  /** How full it is, 1 at the limit. */
  public double fullness() {
    return (double) used.get() / limit;
  }

  /** Whether a change waits for room: what is in memory should leave it. */
  public boolean isAwaited() {
    return waiting.get() > 0;
  }

  public void add(long bytes) {
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
   * may take more than the limit if no other is on its way; a large one only if little is in memory
   * either, since it is there several times before it has arrived, as is one that is flushed.
   */
  public void admit(long bytes) {
    if (tryAdmit(bytes)) {
      return;
    }
    long left = patienceNanos;
    lock.lock();
    try {
      waiting.incrementAndGet(); // before the next try: what arrives after it signals
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
      waits.record(patienceNanos - left);
    }
  }

  private boolean tryAdmit(long bytes) {
    while (true) {
      long others = admitted.get();
      long inUse = used.get();
      boolean large = bytes >= LARGE;
      boolean alone = others == 0 && (!large || inUse <= limit / LITTLE);
      long needed = large ? 2 * bytes : bytes;
      if (inUse >= limit || (!alone && inUse + others + needed > limit)) {
        return false;
      }
      if (admitted.compareAndSet(others, others + bytes)) {
        return true;
      }
    }
  }

  /** A change that was admitted is in memory, in the log, or refused. */
  public void arrived(long bytes) {
    admitted.addAndGet(-bytes);
    if (waiting.get() > 0) {
      wake();
    }
  }
}
