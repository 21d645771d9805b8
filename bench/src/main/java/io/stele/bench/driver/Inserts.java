package io.stele.bench.driver;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Gives out the numbers of new records, and knows below which number all records are there, so that
 * nobody reads what another thread is still inserting.
 */
final class Inserts {
  private static final long NONE = Long.MAX_VALUE;

  private final AtomicLong next;
  private final AtomicLongArray pending; // by thread: what it inserts, or something below that

  Inserts(long first, int threads) {
    next = new AtomicLong(first);
    pending = new AtomicLongArray(threads);
    for (int thread = 0; thread < threads; thread++) {
      pending.set(thread, NONE);
    }
  }

  long begin(int thread) {
    // Before the number is taken: it must not be counted as there in between.
    pending.set(thread, next.get());
    long number = next.getAndIncrement();
    pending.set(thread, number);
    return number;
  }

  void end(int thread) {
    pending.set(thread, NONE);
  }

  /** All records with lower numbers are there. */
  long there() {
    long lowest = next.get();
    for (int thread = 0; thread < pending.length(); thread++) {
      lowest = Math.min(lowest, pending.get(thread));
    }
    return lowest;
  }
}
