package io.stele.client.call;

import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.time.Clock;
import io.stele.protocol.wire.ErrorMapping;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Makes calls: to the server that leads if it can be found, again where that does no harm. */
public final class Caller {
  private static final int MOST_DOUBLINGS = 16;

  private final Endpoints endpoints;
  private final CallSettings settings;
  private final Clock clock;
  private final RandomGenerator random;
  private final ScheduledExecutorService timer;

  public Caller(
      Endpoints endpoints,
      CallSettings settings,
      Clock clock,
      RandomGenerator random,
      ScheduledExecutorService timer) {
    this.endpoints = endpoints;
    this.settings = settings;
    this.clock = clock;
    this.random = random;
    this.timer = timer;
  }

  public <Q, R> PendingCall<Q, R> call(MethodDescriptor<Q, R> method, Q request, Repeat repeat) {
    return call(method, request, repeat, settings.timeout());
  }

  /** The future fails with a {@code SteleException}; cancelling it ends the call. */
  public <Q, R> PendingCall<Q, R> call(
      MethodDescriptor<Q, R> method, Q request, Repeat repeat, Duration timeout) {
    return begin(new PendingCall<>(this, method, request, repeat, timeout.toNanos(), 0));
  }

  /**
   * A call whose work may take long: a server that takes it on must be found within the usual time,
   * and then has its own to answer.
   */
  public <Q, R> PendingCall<Q, R> callLong(
      MethodDescriptor<Q, R> method, Q request, Repeat repeat, Duration work) {
    return begin(
        new PendingCall<>(
            this, method, request, repeat, settings.timeout().toNanos(), work.toNanos()));
  }

  private static <Q, R> PendingCall<Q, R> begin(PendingCall<Q, R> call) {
    call.attempt();
    return call;
  }

  /** One attempt at one server, whatever it says about others. */
  public <Q, R> CompletableFuture<R> callAt(
      String address, MethodDescriptor<Q, R> method, Q request, Duration timeout) {
    return callAt(address, method, request, timeout, false);
  }

  /** As {@link #callAt}, of a change: it is {@code OutcomeUnknown} if the answer was lost. */
  public <Q, R> CompletableFuture<R> changeAt(
      String address, MethodDescriptor<Q, R> method, Q request, Duration timeout) {
    return callAt(address, method, request, timeout, true);
  }

  private <Q, R> CompletableFuture<R> callAt(
      String address, MethodDescriptor<Q, R> method, Q request, Duration timeout, boolean changes) {
    CompletableFuture<R> answer = new CompletableFuture<>();
    Endpoint endpoint = endpoints.at(address);
    ClientCalls.asyncUnaryCall(
        endpoint
            .channel()
            .newCall(
                method,
                CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)),
        request,
        new StreamObserver<R>() {
          @Override
          public void onNext(R response) {
            answer.complete(response);
          }

          @Override
          public void onError(Throwable problem) {
            boolean neverSent = ErrorMapping.neverSent(Status.fromThrowable(problem));
            if (neverSent) {
              endpoint.unreachable();
            }
            SteleException found = ErrorMapping.fromThrown(address, problem);
            boolean lost =
                found instanceof UnavailableException
                    && !neverSent
                    && !ErrorMapping.isAnswer(Status.trailersFromThrowable(problem));
            answer.completeExceptionally(
                changes && lost
                    ? new OutcomeUnknownException(
                        "it may or may not have been done: " + found.getMessage(), found)
                    : found);
          }

          @Override
          public void onCompleted() {
            answer.completeExceptionally( // unless there was one
                new UnavailableException(address + ": an answer without content"));
          }
        });
    return answer;
  }

  /** Completes after a while. */
  public CompletableFuture<Void> pause(long nanos) {
    CompletableFuture<Void> over = new CompletableFuture<>();
    try {
      later(() -> over.complete(null), nanos);
    } catch (RejectedExecutionException e) {
      over.completeExceptionally(new UnavailableException("the client is closed", e));
    }
    return over;
  }

  public Endpoints endpoints() {
    return endpoints;
  }

  public CallSettings settings() {
    return settings;
  }

  public Clock clock() {
    return clock;
  }

  public ScheduledExecutorService timer() {
    return timer;
  }

  /** How long to wait before attempt n + 1, with the n-th just failed: half of it is chance. */
  public long pauseNanos(int attempts) {
    return pauseNanos(attempts, settings.firstPause(), settings.longestPause());
  }

  public long pauseNanos(int attempts, Duration first, Duration longest) {
    long pause =
        Math.min(longest.toNanos(), first.toNanos() << Math.min(attempts - 1, MOST_DOUBLINGS));
    synchronized (random) {
      return pause / 2 + random.nextLong(pause / 2 + 1);
    }
  }

  void later(Runnable task, long nanos) {
    var _ = timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
  }
}
