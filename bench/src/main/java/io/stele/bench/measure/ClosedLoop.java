package io.stele.bench.measure;

import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Clients that each ask for the next thing when they have the answer to the one before, for a time,
 * and once at least.
 *
 * <p>A client is no thread: it goes on where its answer arrives, so that hundreds of them cost the
 * machine that they share with the servers no more than their requests.
 */
public final class ClosedLoop {
  private static final long LONGEST_NANOS = Duration.ofMinutes(10).toNanos();
  private static final int DIGITS = 3;

  /** What one client does over and over, never before the last one is answered. */
  public interface Client {
    /** Starts the next request; it must not block. */
    CompletableFuture<?> next() throws Exception;
  }

  private final Duration length;
  private final Duration patience;
  private final List<ProcessHandle> servers;

  /**
   * A loop.
   *
   * @param length until which clients start requests
   * @param patience how long after that the last answer may come
   * @param servers whose use of the machine is not that of others
   */
  public ClosedLoop(Duration length, Duration patience, List<ProcessHandle> servers) {
    if (!length.isPositive() || !patience.isPositive()) {
      throw new IllegalArgumentException(
          "a closed loop of %s with a patience of %s: both must be above 0"
              .formatted(length, patience));
    }
    this.length = length;
    this.patience = patience;
    this.servers = List.copyOf(servers);
  }

  /**
   * Measures.
   *
   * @throws Exception the first failure of any request; the other clients stop then
   * @throws TimeoutException if some requests are never answered
   */
  public Sample run(List<? extends Client> clients) throws Exception {
    Run run = new Run(clients.size());
    CpuMeter cpu = CpuMeter.start(servers);
    run.begin();
    for (Client client : clients) {
      // Not here: a client whose answers are always there at once would keep the others waiting.
      Thread.ofVirtual().name("bench-client").start(() -> run.drive(client));
    }
    boolean ended = run.running.await(length.plus(patience).toNanos(), TimeUnit.NANOSECONDS);
    run.rethrow();
    if (!ended) {
      throw new TimeoutException(
          "%d of %d clients have had no answer for %s"
              .formatted(run.running.getCount(), clients.size(), patience));
    }
    return run.sample(cpu.othersShare());
  }

  /** One run: what its clients share. */
  private final class Run {
    private final CountDownLatch running;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Histogram latency = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);
    private final LongAdder answered = new LongAdder();
    private long startNanos; // written before the first request

    Run(int clients) {
      running = new CountDownLatch(clients);
    }

    void begin() {
      startNanos = System.nanoTime();
    }

    /** Goes on with a client until a request of it has to be waited for. */
    void drive(Client client) {
      while (true) {
        long before = System.nanoTime();
        CompletableFuture<?> request;
        try {
          request = client.next();
        } catch (Exception e) {
          fail(e);
          return;
        }
        if (!request.isDone()) {
          var _ = request.whenComplete((_, problem) -> answered(client, before, problem));
          return;
        }
        // Not through whenComplete: that would come back to here with an ever deeper stack.
        if (!settle(before, request.isCompletedExceptionally() ? request.exceptionNow() : null)) {
          return;
        }
      }
    }

    private void answered(Client client, long before, @Nullable Throwable problem) {
      if (settle(before, problem)) {
        drive(client);
      }
    }

    /** Takes an answer to account; returns whether there is to be another request. */
    private boolean settle(long before, @Nullable Throwable problem) {
      if (problem != null) {
        fail(problem);
        return false;
      }
      long now = System.nanoTime();
      latency.recordValue(Math.min(now - before, LONGEST_NANOS));
      answered.increment();
      if (now - startNanos >= length.toNanos() || failure.get() != null) {
        running.countDown();
        return false;
      }
      return true;
    }

    private void fail(Throwable problem) {
      failure.compareAndSet(null, problem);
      running.countDown();
    }

    void rethrow() throws Exception {
      Throwable problem = failure.get();
      if (problem instanceof CompletionException wrapped && wrapped.getCause() != null) {
        problem = wrapped.getCause();
      }
      if (problem != null) {
        throw problem instanceof Exception e ? e : new IllegalStateException(problem);
      }
    }

    Sample sample(OptionalDouble others) {
      return new Sample(
          answered.sum(),
          (System.nanoTime() - startNanos) / 1e9,
          latency.getValueAtPercentile(50) / 1e3,
          latency.getValueAtPercentile(99) / 1e3,
          others);
    }
  }
}
