package io.stele.bench.replica;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.table.Consistency.Acks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Writers in the background, each of which waits for a majority to have one record before it writes
 * another, and what they saw: how many were acknowledged, and the longest time in which none was.
 */
final class Writers {
  static final int COUNT = 16;

  private static final long SOME = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(5);

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicLong editions = new AtomicLong();
  private volatile boolean over;
  private long acknowledged; // guarded by this, as all below
  private long began = System.nanoTime();
  private long last = began;
  private long longest;
  private long missed;

  /**
   * What was seen in a time.
   *
   * @param missed that were not acknowledged in their time
   * @param longestMillis without an acknowledgement
   */
  record Seen(long acknowledged, long missed, double seconds, double longestMillis) {
    double perSecond() {
      return acknowledged / seconds;
    }
  }

  /** Has them write to the first so many records of a table, through its first server. */
  static Writers start(TableServers servers, String table, long records) {
    Writers writers = new Writers();
    for (int i = 0; i < COUNT; i++) {
      SplittableRandom chance = new SplittableRandom(i);
      writers.threads.add(
          Thread.ofVirtual()
              .name("bench-writer-" + i)
              .start(() -> writers.run(servers, table, records, chance)));
    }
    return writers;
  }

  private void run(TableServers servers, String table, long records, SplittableRandom chance) {
    try {
      while (!over && failure.get() == null) {
        write(servers, table, chance.nextLong(records));
      }
    } catch (RuntimeException | Error e) {
      failure.compareAndSet(null, e);
    }
  }

  /** One that is not acknowledged in time is told of; anything else ends the writer. */
  private void write(TableServers servers, String table, long record) {
    long edition = editions.incrementAndGet();
    try {
      servers
          .write(table, Acks.MAJORITY, 0, Rows.key(record), Rows.value(edition, Rows.LARGE_VALUE))
          .join();
      acknowledged();
    } catch (CompletionException e) {
      boolean passes =
          e.getCause() instanceof OutcomeUnknownException
              || (e.getCause() instanceof SteleException cause && cause.retryable());
      if (!passes) {
        throw e;
      }
      missed();
    }
  }

  private synchronized void missed() {
    missed++;
  }

  private synchronized void acknowledged() {
    long now = System.nanoTime();
    longest = Math.max(longest, now - last);
    last = now;
    acknowledged++;
  }

  /** Waits until some were acknowledged: servers that were just started are slow at first. */
  void awaitSome() throws InterruptedException, TimeoutException {
    long start = System.nanoTime();
    while (count() < SOME) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw new TimeoutException(
            "%d writes acknowledged within %s: must be %d".formatted(count(), PATIENCE, SOME));
      }
      Thread.sleep(PAUSE);
    }
  }

  private synchronized long count() {
    requireWorking();
    return acknowledged;
  }

  private void requireWorking() {
    Throwable problem = failure.get();
    if (problem != null) {
      Throwable cause =
          problem instanceof CompletionException && problem.getCause() != null
              ? problem.getCause()
              : problem;
      throw new IllegalStateException("a writer failed: " + cause, problem);
    }
  }

  /** What was seen since the last time this was asked. */
  synchronized Seen seen() {
    requireWorking();
    long now = System.nanoTime();
    Seen seen =
        new Seen(acknowledged, missed, (now - began) / 1e9, Math.max(longest, now - last) / 1e6);
    acknowledged = 0;
    missed = 0;
    longest = 0;
    began = now;
    last = now;
    return seen;
  }

  /** Ends them, each with its last record; returns what was seen since it was last asked. */
  Seen stop() throws InterruptedException {
    over = true;
    Seen seen = seen();
    for (Thread thread : threads) {
      thread.join();
    }
    return seen;
  }

  /** Ends them, whatever has become of them. */
  void abandon() throws InterruptedException {
    over = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
