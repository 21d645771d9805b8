package io.stele.bench.driver;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * How long a client waits while the tablet that it writes to is moved: one that writes without a
 * break, and as applications do it, so that the library's own attempts and pauses count.
 */
final class MovePauses {
  private static final int FIELD = 0;
  private static final long PAUSE_MILLIS = 1;
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  private final ClusterStore store;
  private final String table;
  private final String key = Records.key(0);

  private final AtomicLong written = new AtomicLong();
  private final AtomicLong longestNanos = new AtomicLong(); // since it was last reset
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean ended;

  MovePauses(ClusterStore store, String table) {
    this.store = store;
    this.table = table;
  }

  /** The answer's microseconds are those of the longest pauses, one of each move. */
  Sample measure(int moves) throws Exception {
    Thread writer = new Thread(this::writeOn, "bench-writer");
    writer.setDaemon(true);
    writer.start();
    try {
      awaitWrites(1);
      return move(moves);
    } finally {
      ended = true;
      writer.join();
    }
  }

  private void writeOn() {
    try {
      SplittableRandom chance = new SplittableRandom(1);
      long before = System.nanoTime();
      while (!ended) {
        store.update(table, key, FIELD, Records.field(chance));
        long after = System.nanoTime();
        longestNanos.accumulateAndGet(after - before, Math::max);
        before = after;
        written.incrementAndGet();
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  private Sample move(int moves) throws Exception {
    Latencies pauses = new Latencies();
    long start = System.nanoTime();
    for (int move = 0; move < moves; move++) {
      String from = store.locate(table, key);
      String to =
          store.servers().stream()
              .sorted()
              .filter(server -> !server.equals(from))
              .findFirst()
              .orElseThrow(() -> new IllegalStateException("there is one server: must be two"));
      longestNanos.set(0);
      store.move(table, key, to);
      awaitWrites(written.get() + 2); // the first of them may have been answered before the move
      pauses.add(longestNanos.get());
    }
    return new Sample(
        moves,
        (System.nanoTime() - start) / 1e9,
        pauses.percentile(50) / 1e3,
        pauses.percentile(99) / 1e3);
  }

  private void awaitWrites(long count) throws Exception {
    long start = System.nanoTime();
    while (written.get() < count) {
      Throwable problem = failure.get();
      if (problem != null) {
        throw problem instanceof Exception e ? e : new IllegalStateException(problem);
      }
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new IllegalStateException("no write was answered for two minutes");
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
