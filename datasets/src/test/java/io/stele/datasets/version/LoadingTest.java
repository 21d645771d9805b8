package io.stele.datasets.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What all loads of a node share: how many at a time, in turn, and how fast. */
class LoadingTest {
  @Test
  void noMoreRunAtATimeThanMay() {
    Deque<Runnable> threads = new ArrayDeque<>();
    LoadQueue queue = new LoadQueue(threads::add, 2);
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < 5; i++) {
      queue.add("load", done::incrementAndGet);
    }
    assertThat(threads).hasSize(2);
    threads.forEach(Runnable::run);
    assertThat(done.get()).isEqualTo(5);
  }

  @Test
  void loadsTakeTurns() {
    Deque<Runnable> threads = new ArrayDeque<>();
    LoadQueue queue = new LoadQueue(threads::add, 1);
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      queue.add("large", () -> order.add("large"));
    }
    queue.add("small", () -> order.add("small"));
    threads.remove().run();
    assertThat(order).containsExactly("large", "small", "large", "large");
  }

  /** Lets time pass whenever somebody waits, and says how much that was. */
  private static Duration waited(RateLimit limit, ManualClock clock, long bytes) {
    long start = clock.nanos();
    BooleanSupplier passing =
        () -> {
          clock.advance(Duration.ofMillis(1));
          return false;
        };
    limit.take(bytes, passing);
    return Duration.ofNanos(clock.nanos() - start);
  }

  @Test
  void theRateIsKept() {
    ManualClock clock = new ManualClock();
    RateLimit limit = new RateLimit(clock, 1_000_000);
    Duration all = Duration.ZERO;
    for (int i = 0; i < 10; i++) {
      all = all.plus(waited(limit, clock, 10_000));
    }
    assertThat(all).isBetween(Duration.ofMillis(100), Duration.ofMillis(110));
  }

  @Test
  void timeThatWasNotUsedIsNotSavedUp() {
    ManualClock clock = new ManualClock();
    RateLimit limit = new RateLimit(clock, 1_000_000);
    clock.advance(Duration.ofHours(1));
    assertThat(waited(limit, clock, 50_000)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
  }

  @Test
  void whoGivesUpWaitsNoLonger() {
    ManualClock clock = new ManualClock();
    new RateLimit(clock, 1).take(1_000_000, () -> true);
    assertThat(clock.nanos()).isZero();
  }

  @Test
  void withoutALimitNobodyWaits() {
    ManualClock clock = new ManualClock();
    new RateLimit(clock, 0).take(Long.MAX_VALUE, () -> false);
    assertThat(clock.nanos()).isZero();
  }
}
