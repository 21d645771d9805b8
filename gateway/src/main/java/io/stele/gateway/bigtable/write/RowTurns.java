package io.stele.gateway.bigtable.write;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Lets those who change one row by what it holds take turns, so that they do not spoil each other's
 * reads. Others, at other servers, may still be faster: then the row is read again.
 */
final class RowTurns {
  private static final int STRIPES = 1_024;
  private static final int MOST_TRIES = 200;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ReentrantLock[] turns = new ReentrantLock[STRIPES];

  RowTurns() {
    for (int i = 0; i < STRIPES; i++) {
      turns[i] = new ReentrantLock();
    }
  }

  /**
   * Tries until a try is not spoiled. Between tries it waits a little: the change that was faster
   * is seen only when it is durable.
   */
  <T> T take(String table, Bytes row, Supplier<T> attempt) {
    ReentrantLock turn = turns[(table.hashCode() * 31 + row.hashCode()) & (STRIPES - 1)];
    turn.lock();
    try {
      long pause = FIRST_PAUSE_NANOS;
      ConflictException last = null;
      for (int tries = 0; tries < MOST_TRIES; tries++) {
        try {
          return attempt.get();
        } catch (ConflictException e) {
          last = e;
        }
        LockSupport.parkNanos(pause);
        pause = Math.min(LONGEST_PAUSE_NANOS, pause * 2);
      }
      throw new ConflictException(
          "row \""
              + row
              + "\" of table \""
              + table
              + "\" was changed by others during each of "
              + MOST_TRIES
              + " tries",
          last);
    } finally {
      turn.unlock();
    }
  }
}
