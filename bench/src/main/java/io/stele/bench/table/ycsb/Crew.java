package io.stele.bench.table.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads that do one operation after the other, each when its last one is done. */
public final class Crew {
  /** One thread's work. */
  public interface Work {
    /** Does one operation; returns false if there was none left to do. */
    boolean next() throws Exception;
  }

  /** Makes the work of a thread. */
  public interface Works {
    Work of(int thread);
  }

  private final int threads;
  private final long nanos;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final CountDownLatch start = new CountDownLatch(1);

  /** A crew that stops after a time, or when there is nothing left to do. */
  public Crew(int threads, double seconds) {
    this.threads = threads;
    this.nanos = (long) (seconds * 1e9);
  }

  /** Measures. The first failure of any thread stops the others, and is thrown. */
  public Answer run(Works works) throws Exception {
    List<Worker> workers = new ArrayList<>();
    List<Thread> running = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      Worker worker = new Worker(works.of(thread));
      workers.add(worker);
      Thread started = new Thread(worker, "ycsb-" + thread);
      started.setDaemon(true);
      started.start();
      running.add(started);
    }
    long began = System.nanoTime();
    start.countDown();
    Latencies all = new Latencies();
    for (int thread = 0; thread < threads; thread++) {
      running.get(thread).join();
      all.add(workers.get(thread).latencies);
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    Throwable problem = failure.get();
    if (problem != null) {
      throw problem instanceof Exception e ? e : new IllegalStateException(problem);
    }
    return new Answer(all.total(), seconds, all.percentile(50) / 1e3, all.percentile(99) / 1e3);
  }

  /** One thread's part; its latencies are read by others only when it has ended. */
  private final class Worker implements Runnable {
    private final Work work;
    private final Latencies latencies = new Latencies();

    Worker(Work work) {
      this.work = work;
    }

    @Override
    public void run() {
      try {
        start.await();
        long began = System.nanoTime();
        long before = began;
        while (before - began < nanos && failure.get() == null && work.next()) {
          long after = System.nanoTime();
          latencies.add(after - before);
          before = after;
        }
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      }
    }
  }
}
