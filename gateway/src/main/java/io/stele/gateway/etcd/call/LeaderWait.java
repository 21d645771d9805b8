package io.stele.gateway.etcd.call;

import io.stele.base.error.NotServingException;
import io.stele.base.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds requests during an election, as etcd does, until a leader can take them or their time is
 * over. A request is repeated only after an attempt that failed with {@link NotServingException},
 * which promises that nothing was done; any other outcome is final.
 *
 * <pre>
 *   attempt ── NotServing ──▶ held ── usable leader, other than the one that failed ──▶ attempt
 *      │                       ├───── or the same one, after a pause ────────────────▶ attempt
 *      ▼                       ├───── time over ──▶ "request timed out"
 *   answer or error            └───── caller gone, server stops
 * </pre>
 *
 * <p>Bounded: {@value #MOST_REQUESTS} requests of {@value #MOST_BYTES} bytes together; more are
 * refused with "too many requests". While any are held, the timer polls for a leader.
 */
public final class LeaderWait implements OpenStreams.Stream {
  private static final int MOST_REQUESTS = 10_000;
  private static final long MOST_BYTES = 64 << 20;
  private static final long POLL_MILLIS = 20;
  private static final long PAUSE_NANOS = 200_000_000;

  private final Clock clock;
  private final ScheduledExecutorService timer;
  private final Supplier<EtcdBackend.Lead> lead;
  private final long patienceNanos;

  // Guarded by this.
  private final Set<Request<?>> held = new LinkedHashSet<>();
  private long heldBytes;
  private boolean polling; // invariant: true while any are held
  private boolean stopped;

  /** One request from its arrival to its answer; while it is held, guarded by the outer lock. */
  private static final class Request<R> {
    private final Supplier<CompletableFuture<R>> attempt;
    private final long bytes;
    private final BooleanSupplier gone;
    private final long deadline;
    private final CompletableFuture<R> answer = new CompletableFuture<>();
    private EtcdBackend.@Nullable Lead failed; // the one that did not take it
    private long retryAt;

    Request(
        Supplier<CompletableFuture<R>> attempt, long bytes, BooleanSupplier gone, long deadline) {
      this.attempt = attempt;
      this.bytes = bytes;
      this.gone = gone;
      this.deadline = deadline;
    }
  }

  /**
   * For the requests of one gateway.
   *
   * @param lead who leads, as this member knows it now
   * @param patience how long after its arrival a request may be sent
   */
  public LeaderWait(
      Clock clock,
      ScheduledExecutorService timer,
      Supplier<EtcdBackend.Lead> lead,
      Duration patience) {
    this.clock = clock;
    this.timer = timer;
    this.lead = lead;
    this.patienceNanos = patience.toNanos();
  }

  /**
   * Answers what the attempt answers, which may be made several times.
   *
   * @param bytes that the request takes while it is held
   * @param gone whether nobody waits for the answer any more
   * @param attempt fails with {@link NotServingException} only if it has certainly changed nothing
   */
  <R> CompletableFuture<R> ask(
      long bytes, BooleanSupplier gone, Supplier<CompletableFuture<R>> attempt) {
    Request<R> request = new Request<>(attempt, bytes, gone, clock.nanos() + patienceNanos);
    send(request);
    return request.answer;
  }

  private <R> void send(Request<R> request) {
    CompletableFuture<R> outcome;
    try {
      outcome = request.attempt.get();
    } catch (RuntimeException e) {
      outcome = CompletableFuture.failedFuture(e);
    }
    var _ =
        outcome.whenComplete(
            (answer, problem) -> {
              if (problem == null) {
                request.answer.complete(answer);
              } else if (EtcdErrors.cause(problem) instanceof NotServingException) {
                hold(request);
              } else {
                request.answer.completeExceptionally(problem);
              }
            });
  }

  private void hold(Request<?> request) {
    EtcdBackend.Lead now = lead.get();
    EtcdError refusal;
    synchronized (this) {
      if (stopped) {
        refusal = EtcdError.STOPPED;
      } else if (held.size() >= MOST_REQUESTS || heldBytes + request.bytes > MOST_BYTES) {
        refusal = EtcdError.TOO_MANY_REQUESTS;
      } else {
        request.failed = now;
        request.retryAt = clock.nanos() + PAUSE_NANOS;
        held.add(request);
        heldBytes += request.bytes;
        if (polling) {
          return;
        }
        polling = true;
        refusal = null;
      }
    }
    if (refusal != null) {
      request.answer.completeExceptionally(refusal.exception());
    } else {
      pollLater();
    }
  }

  private void pollLater() {
    try {
      var _ = timer.schedule(this::poll, POLL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      stop();
    }
  }

  private void poll() {
    EtcdBackend.Lead now = lead.get();
    long time = clock.nanos();
    List<Request<?>> due = new ArrayList<>();
    List<Request<?>> late = new ArrayList<>();
    boolean more;
    synchronized (this) {
      for (Iterator<Request<?>> all = held.iterator(); all.hasNext(); ) {
        Request<?> request = all.next();
        if (time - request.deadline >= 0 || request.gone.getAsBoolean()) {
          late.add(request);
        } else if (now.usable() && (!now.equals(request.failed) || time - request.retryAt >= 0)) {
          due.add(request);
        } else {
          continue;
        }
        all.remove();
        heldBytes -= request.bytes;
      }
      more = !held.isEmpty();
      polling = more;
    }
    late.forEach(request -> request.answer.completeExceptionally(EtcdError.TIMEOUT.exception()));
    due.forEach(this::send);
    if (more) {
      pollLater();
    }
  }

  /** Refuses what is held, and what would be from here on. */
  @Override
  public void stop() {
    List<Request<?>> left;
    synchronized (this) {
      stopped = true;
      left = List.copyOf(held);
      held.clear();
      heldBytes = 0;
    }
    left.forEach(request -> request.answer.completeExceptionally(EtcdError.STOPPED.exception()));
  }

  synchronized int size() {
    return held.size();
  }
}
