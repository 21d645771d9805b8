package io.stele.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Runs an operation on some threads, for a time or a number of times, and measures it.
 *
 * <p>A look at the clock costs as much as a tenth of a fast read, so only the first of every {@code
 * runsPerLook} runs is timed by itself, and only between those groups is the end looked for.
 */
public final class Phase {
  private static final long LONGEST_NANOS = Duration.ofMinutes(10).toNanos();
  private static final int DIGITS = 2;

  private final int threads;
  private final long nanos; // of a timed phase; Long.MAX_VALUE in a counted one
  private final long runs; // of each thread in a counted phase; Long.MAX_VALUE in a timed one
  private final int runsPerLook;

  private Phase(int threads, long nanos, long runs, int runsPerLook) {
    if (threads < 1 || nanos < 1 || runs < 1 || runsPerLook < 1) {
      throw new IllegalArgumentException(
          "a phase of "
              + (threads + " threads, " + nanos + " ns, " + runs + " runs, ")
              + (runsPerLook + " runs a look: each must be 1 or more"));
    }
    this.threads = threads;
    this.nanos = nanos;
    this.runs = runs;
    this.runsPerLook = runsPerLook;
  }

  public static Phase timed(int threads, Duration length, int runsPerLook) {
    return new Phase(threads, length.toNanos(), Long.MAX_VALUE, runsPerLook);
  }

  /** One thread that runs the operation so many times. */
  public static Phase counted(long runs, int runsPerLook) {
    return new Phase(1, Long.MAX_VALUE, runs, runsPerLook);
  }

  /**
   * Measures.
   *
   * @throws Exception the first that any thread's operation threw; the others stop then
   */
  public Sample run(Operation.Source source) throws Exception {
    List<Worker> workers = new ArrayList<>();
    try {
      for (int thread = 0; thread < threads; thread++) {
        workers.add(new Worker(source.start(thread)));
      }
      return measure(workers);
    } finally {
      for (Worker worker : workers) {
        worker.operation.close();
      }
    }
  }

  private Sample measure(List<Worker> workers) throws Exception {
    Start start = new Start();
    List<Thread> running = new ArrayList<>();
    for (Worker worker : workers) {
      running.add(Thread.ofPlatform().name("bench-worker").start(() -> worker.run(start)));
    }
    CpuMeter cpu = CpuMeter.start();
    start.go();
    for (Thread thread : running) {
      thread.join();
    }
    OptionalDouble others = cpu.othersShare();
    Throwable failure = start.failure.get();
    if (failure != null) {
      throw failure instanceof Exception e ? e : new IllegalStateException(failure);
    }
    Histogram latency = histogram();
    long total = 0;
    long end = start.nanos;
    for (Worker worker : workers) {
      latency.add(worker.latency);
      total += worker.done;
      end = Math.max(end, worker.endNanos);
    }
    return new Sample(
        total,
        (end - start.nanos) / 1e9,
        latency.getValueAtPercentile(50) / 1e3,
        latency.getValueAtPercentile(99) / 1e3,
        others);
  }

  private static Histogram histogram() {
    return new Histogram(LONGEST_NANOS, DIGITS);
  }

  /** The common start of the threads, and their common end if one fails. */
  private static final class Start {
    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private long nanos; // written before the gate opens

    void go() {
      nanos = System.nanoTime();
      gate.countDown();
    }

    long await() throws InterruptedException {
      gate.await();
      return nanos;
    }
  }

  /** One thread's part. Its fields are read by others only after the thread has ended. */
  private final class Worker {
    private final Operation operation;
    private final Histogram latency = histogram();
    private long done;
    private long endNanos;

    Worker(Operation operation) {
      this.operation = operation;
    }

    void run(Start start) {
      try {
        long begin = start.await();
        long now = begin;
        while (now - begin < nanos && done < runs && start.failure.get() == null) {
          now = group(Math.min(runsPerLook, runs - done));
        }
        endNanos = now;
      } catch (Throwable e) {
        start.failure.compareAndSet(null, e);
      }
    }

    /** Some runs, the first of them timed; returns the time at their end. */
    private long group(long size) throws Exception {
      long before = System.nanoTime();
      operation.run();
      long after = System.nanoTime();
      latency.recordValue(Math.min(after - before, LONGEST_NANOS));
      for (long i = 1; i < size; i++) {
        operation.run();
      }
      done += size;
      return size == 1 ? after : System.nanoTime();
    }
  }
}
