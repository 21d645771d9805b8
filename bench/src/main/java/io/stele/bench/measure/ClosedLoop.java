package io.stele.bench.measure;

import io.stele.bench.driver.Latencies;
import io.stele.bench.driver.Sample;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Clients that each send the next request when they have the answer to the last, for a time, and
 * once at least.
 *
 * <p>A client is no thread: it goes on where its answer arrives, so that hundreds of them cost the
 * machine that they share with the servers no more than their requests.
 */
public final class ClosedLoop {
  /** What one client does over and over, never before the last one is answered. */
  public interface Client {
    /** Starts the next request; it must not block. */
    CompletableFuture<?> next() throws Exception;
  }

  private final Duration length;
  private final Duration patience;

  /**
   * A loop.
   *
   * @param length until which clients start requests
   * @param patience how long after that the last answer may come
   */
  public ClosedLoop(Duration length, Duration patience) {
    if (!length.isPositive() || !patience.isPositive()) {
      throw new IllegalArgumentException(
          "a closed loop of %s with a patience of %s: both must be above 0"
              .formatted(length, patience));
    }
    this.length = length;
    this.patience = patience;
  }

  /**
   * Measures.
   *
   * @throws Exception the first failure of any request; the other clients stop then
   * @throws TimeoutException if some requests are never answered
   */
  public Sample run(List<? extends Client> clients) throws Exception {
    Run run = new Run(clients.size());
    List<Loop> loops = new ArrayList<>();
    for (Client client : clients) {
      Loop loop = new Loop(run, client);
      loops.add(loop);
      // Not here: a client whose answers are always there at once would keep the others waiting.
      Thread.ofVirtual().name("bench-client").start(loop::go);
    }
    boolean ended = run.running.await(length.plus(patience).toNanos(), TimeUnit.NANOSECONDS);
    run.rethrow();
    if (!ended) {
      throw new TimeoutException(
          "%d of %d clients have had no answer for %s"
              .formatted(run.running.getCount(), clients.size(), patience));
    }
    double seconds = (System.nanoTime() - run.startNanos) / 1e9;
    Latencies all = new Latencies();
    loops.forEach(loop -> all.add(loop.latencies));
    return new Sample(all.total(), seconds, all.percentile(50) / 1e3, all.percentile(99) / 1e3);
  }

  /** What the clients of one run share. */
  private static final class Run {
    private final CountDownLatch running;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final long startNanos = System.nanoTime();

    Run(int clients) {
      running = new CountDownLatch(clients);
    }

    void fail(Throwable problem) {
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
  }

  /** One client in a run. Its answers come one after the other, and so are its fields written. */
  private final class Loop {
    private final Run run;
    private final Client client;
    private final Latencies latencies = new Latencies();

    Loop(Run run, Client client) {
      this.run = run;
      this.client = client;
    }

    /** Goes on until a request has to be waited for. */
    void go() {
      while (true) {
        long before = System.nanoTime();
        CompletableFuture<?> request;
        try {
          request = client.next();
        } catch (Exception e) {
          run.fail(e);
          return;
        }
        if (!request.isDone()) {
          var _ = request.whenComplete((_, problem) -> answered(before, problem));
          return;
        }
        // Not through whenComplete: that would come back to here with an ever deeper stack.
        if (!settle(before, request.isCompletedExceptionally() ? request.exceptionNow() : null)) {
          return;
        }
      }
    }

    private void answered(long before, @Nullable Throwable problem) {
      if (settle(before, problem)) {
        go();
      }
    }

    /** Counts an answer; returns whether there is to be another request. */
    private boolean settle(long before, @Nullable Throwable problem) {
      if (problem != null) {
        run.fail(problem);
        return false;
      }
      long now = System.nanoTime();
      latencies.add(now - before);
      if (now - run.startNanos >= length.toNanos() || run.failure.get() != null) {
        run.running.countDown();
        return false;
      }
      return true;
    }
  }
}
