package io.stele.bench.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Threads that each do one operation after the other, for a time or until there is nothing left.
 *
 * <p>A look at the clock costs as much as a tenth of a fast read, so only the first of every {@code
 * runsPerLook} operations is timed by itself, and only between those groups does a thread look for
 * the end.
 */
public final class Crew {
  /** One thread's work. */
  public interface Work extends AutoCloseable {
    /** Does one operation; returns false if there was none left to do. */
    boolean next() throws Exception;

    @Override
    default void close() throws Exception {}
  }

  /** Makes the work of a thread, before the clock starts. */
  public interface Works {
    Work of(int thread) throws Exception;
  }

  private static final double NO_END = 1e9;

  private final int threads;
  private final long nanos;
  private final int runsPerLook;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final CountDownLatch start = new CountDownLatch(1);
  private long startNanos; // written before the start

  /** A crew that works for a time and times every operation. */
  public Crew(int threads, double seconds) {
    this(threads, seconds, 1);
  }

  /** A crew that works for a time. */
  public Crew(int threads, double seconds, int runsPerLook) {
    if (threads < 1 || !(seconds > 0) || runsPerLook < 1) {
      throw new IllegalArgumentException(
          "a crew of "
              + (threads + " threads for " + seconds + " s with " + runsPerLook)
              + " runs a look: each must be above 0");
    }
    this.threads = threads;
    this.nanos = (long) (seconds * 1e9);
    this.runsPerLook = runsPerLook;
  }

  /** A crew that works until there is nothing left to do. */
  public static Crew untilDone(int threads, int runsPerLook) {
    return new Crew(threads, NO_END, runsPerLook);
  }

  /** Work that never runs out. */
  public static Work endless(Driver.Step step, AutoCloseable closed) {
    return new Work() {
      @Override
      public boolean next() throws Exception {
        step.run();
        return true;
      }

      @Override
      public void close() throws Exception {
        closed.close();
      }
    };
  }

  /** Measures, once. The first failure of any thread stops the others, and is thrown. */
  public Sample run(Works works) throws Exception {
    List<Worker> workers = new ArrayList<>();
    try {
      for (int thread = 0; thread < threads; thread++) {
        workers.add(new Worker(works.of(thread)));
      }
      return measure(workers);
    } finally {
      for (Worker worker : workers) {
        worker.work.close();
      }
    }
  }

  private Sample measure(List<Worker> workers) throws Exception {
    List<Thread> running = new ArrayList<>();
    for (Worker worker : workers) {
      Thread thread = new Thread(worker, "bench-worker");
      thread.setDaemon(true);
      thread.start();
      running.add(thread);
    }
    startNanos = System.nanoTime();
    start.countDown();
    Latencies latencies = new Latencies();
    long runs = 0;
    long end = startNanos;
    for (int i = 0; i < threads; i++) {
      running.get(i).join();
      Worker worker = workers.get(i);
      latencies.add(worker.latencies);
      runs += worker.runs;
      end = Math.max(end, worker.endNanos);
    }
    Throwable problem = failure.get();
    if (problem != null) {
      throw problem instanceof Exception e ? e : new IllegalStateException(problem);
    }
    return new Sample(
        runs,
        (end - startNanos) / 1e9,
        latencies.percentile(50) / 1e3,
        latencies.percentile(99) / 1e3);
  }

  /** One thread's part; others read its fields only when it has ended. */
  private final class Worker implements Runnable {
    private final Work work;
    private final Latencies latencies = new Latencies();
    private long runs;
    private long endNanos;

    Worker(Work work) {
      this.work = work;
    }

    @Override
    public void run() {
      try {
        start.await();
        long now = startNanos;
        boolean more = true;
        while (more && now - startNanos < nanos && failure.get() == null) {
          more = group();
          now = endNanos;
        }
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      }
    }

    /** Some operations, the first of them timed; returns whether there may be more. */
    private boolean group() throws Exception {
      long before = System.nanoTime();
      boolean more = work.next();
      endNanos = System.nanoTime();
      if (!more) {
        return false;
      }
      latencies.add(endNanos - before);
      runs++;
      for (int i = 1; i < runsPerLook && more; i++) {
        more = work.next();
        runs += more ? 1 : 0;
      }
      if (runsPerLook > 1) {
        endNanos = System.nanoTime();
      }
      return more;
    }
  }
}
