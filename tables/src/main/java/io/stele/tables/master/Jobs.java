package io.stele.tables.master;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * What a master does in the background, and the news that ends its waiting. Any number of threads.
 */
final class Jobs {
  private final Clock clock;
  private final BiConsumer<String, RuntimeException> failures;

  @GuardedBy("this")
  private long news;

  @GuardedBy("this")
  private int running;

  /**
   * Makes one.
   *
   * @param failures told what was being done when something got away
   */
  Jobs(Clock clock, BiConsumer<String, RuntimeException> failures) {
    this.clock = clock;
    this.failures = failures;
  }

  /** Something has happened. */
  synchronized void wake() {
    news++;
    notifyAll();
  }

  /** How much has happened so far. */
  synchronized long news() {
    return news;
  }

  /**
   * Waits until more has happened than was seen.
   *
   * @return false if the thread was interrupted
   */
  synchronized boolean awaitNews(long seen, Duration longest) {
    long end = clock.nanos() + longest.toNanos();
    while (news == seen) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - clock.nanos());
      if (left <= 0) {
        return true;
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }

  /** Whether nothing is under way. */
  synchronized boolean isIdle() {
    return running == 0;
  }

  private synchronized void count(int change) {
    running += change;
  }

  void start(Runnable job) {
    start("work of the master", job);
  }

  private void start(String what, Runnable job) {
    count(1);
    Thread.ofVirtual()
        .name("stele-master-job")
        .start(
            () -> {
              try {
                job.run();
              } catch (RuntimeException e) {
                failures.accept(what, e);
              } finally {
                count(-1);
                wake();
              }
            });
  }

  /** Starts something, unless somebody has the lock. */
  void startAlone(ReentrantLock lock, String what, Runnable work) {
    start(
        what,
        () -> {
          if (lock.tryLock()) {
            try {
              work.run();
            } finally {
              lock.unlock();
            }
          }
        });
  }
}
