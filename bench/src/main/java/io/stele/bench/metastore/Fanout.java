package io.stele.bench.metastore;

import io.stele.bench.measure.ClosedLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One client that puts, and waits until every watcher has seen the put before it puts again.
 *
 * <p>So at any time there is one edition that a watcher may see, once: another one, or a second
 * time the same, fails the put that is waited for.
 */
final class Fanout implements ClosedLoop.Client, Connection.EventSink {
  /** How a put of the next edition is sent. */
  interface Put {
    CompletableFuture<?> send(long edition);
  }

  private final LongSupplier editions;
  private final Put put;
  private final AtomicLongArray seen; // by watcher: the newest edition
  private final AtomicInteger missing = new AtomicInteger(); // watchers, and the put's own answer
  private volatile long current;
  private volatile CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

  Fanout(int watchers, LongSupplier editions, Put put) {
    this.seen = new AtomicLongArray(watchers);
    this.editions = editions;
    this.put = put;
  }

  @Override
  public CompletableFuture<?> next() {
    CompletableFuture<@Nullable Void> waiting = new CompletableFuture<>();
    long edition = editions.getAsLong();
    done = waiting;
    missing.set(seen.length() + 1);
    current = edition; // last: from here on events are counted
    var _ =
        put.send(edition)
            .whenComplete(
                (_, problem) -> {
                  if (problem != null) {
                    waiting.completeExceptionally(problem);
                  } else {
                    countDown();
                  }
                });
    return waiting;
  }

  @Override
  public void put(int watcher, long edition) {
    long before = seen.getAndSet(watcher, edition);
    if (edition != current || before == edition) {
      failed(
          watcher,
          new WrongAnswerException(
              "watcher %d saw edition %d after %d, when %d was the newest"
                  .formatted(watcher, edition, before, current)));
      return;
    }
    countDown();
  }

  @Override
  public void failed(int watcher, Throwable problem) {
    done.completeExceptionally(problem);
  }

  private void countDown() {
    if (missing.decrementAndGet() == 0) {
      done.complete(null);
    }
  }
}
