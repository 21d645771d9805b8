package io.stele.client.call;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.protocol.wire.ErrorMapping;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A call and its attempts, one after the other:
 *
 * <pre>
 * how an attempt failed                        READ, ONCE    IF_NOT_DONE
 * no connection; NOT_SERVING; UNAVAILABLE      again         again
 * connection lost; too late; OUTCOME_UNKNOWN   again         OutcomeUnknown
 * all else                                     as it is      as it is
 * </pre>
 *
 * <p>When the time is over and some attempt may have been carried out, a change fails with {@code
 * OutcomeUnknown}; otherwise with {@code Unavailable}.
 *
 * @param <Q> the request
 * @param <R> the response
 */
public final class PendingCall<Q, R> extends CompletableFuture<R> {
  private static final int MOST_HINTS = 3;

  // An attempt that is cut off at once would only make unknown what is known.
  private static final long LEAST_NANOS = 10_000_000;

  private final Caller caller;
  private final MethodDescriptor<Q, R> method;
  private final Q request;
  private final Repeat repeat;
  private final long start;
  private final long timeoutNanos;
  private final long workNanos;

  // Written by one attempt after the other; each happens after the one before.
  private int attempts;
  private volatile boolean repeated;
  private int hintsFollowed;
  private @Nullable SteleException last;
  private volatile boolean perhapsDone;
  private volatile String answeredBy = "";
  private volatile @Nullable ClientCall<Q, R> underWay;

  /**
   * A call to be made.
   *
   * @param timeoutNanos within which all attempts end
   * @param workNanos unless it is 0, attempts only begin within the time-out, and may take so long
   */
  PendingCall(
      Caller caller,
      MethodDescriptor<Q, R> method,
      Q request,
      Repeat repeat,
      long timeoutNanos,
      long workNanos) {
    this.caller = caller;
    this.method = method;
    this.request = request;
    this.repeat = repeat;
    this.start = caller.clock().nanos();
    this.timeoutNanos = timeoutNanos;
    this.workNanos = workNanos;
  }

  /** Whether some attempt may have been carried out without an answer. */
  public boolean perhapsDone() {
    return perhapsDone;
  }

  /** Whether it was made more than once. */
  public boolean repeated() {
    return repeated;
  }

  /** The address of the server that answered last; empty before. */
  public String answeredBy() {
    return answeredBy;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    ClientCall<Q, R> call = underWay;
    if (cancelled && call != null) {
      call.cancel("cancelled by the caller", null);
    }
    return cancelled;
  }

  void attempt() {
    if (isDone()) {
      return;
    }
    long left = timeLeft();
    if (left <= 0) {
      fail(last == null ? new UnavailableException("no server was asked in time") : last);
      return;
    }
    attempts++;
    if (attempts > 1) {
      repeated = true;
    }
    long within =
        workNanos > 0
            ? workNanos
            : repeat.cutShort()
                ? Math.min(left, caller.settings().attemptTimeout().toNanos())
                : left;
    Endpoint endpoint = caller.endpoints().current();
    ClientCall<Q, R> call =
        endpoint
            .channel()
            .newCall(method, CallOptions.DEFAULT.withDeadlineAfter(within, TimeUnit.NANOSECONDS));
    underWay = call;
    call.start(new Attempt(endpoint), new Metadata());
    call.request(2); // as the one answer is followed by nothing, asking for two saves a wait
    call.sendMessage(request);
    call.halfClose();
    if (isCancelled()) {
      call.cancel("cancelled by the caller", null);
    }
  }

  private long timeLeft() {
    return timeoutNanos - (caller.clock().nanos() - start);
  }

  private final class Attempt extends ClientCall.Listener<R> {
    private final Endpoint endpoint;
    private @Nullable R answer;

    Attempt(Endpoint endpoint) {
      this.endpoint = endpoint;
    }

    @Override
    public void onMessage(R message) {
      answer = message;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      R message = answer;
      if (status.isOk() && message != null) {
        answeredBy = endpoint.address();
        complete(message);
      } else {
        failed(endpoint, status, trailers);
      }
    }
  }

  private void failed(Endpoint endpoint, Status status, Metadata trailers) {
    SteleException problem = ErrorMapping.fromStatus(endpoint.address(), status, trailers);
    last = problem;
    boolean neverSent = ErrorMapping.neverSent(status);
    if (neverSent) {
      endpoint.unreachable();
    }
    boolean answered = ErrorMapping.isAnswer(trailers);
    if (answered) {
      answeredBy = endpoint.address();
    }
    boolean done = // perhaps
        problem instanceof OutcomeUnknownException
            || (problem instanceof UnavailableException && !answered && !neverSent);
    boolean passing =
        done || problem instanceof UnavailableException || problem instanceof NotServingException;
    if (done && repeat != Repeat.READ) {
      perhapsDone = true;
    }
    if (!passing || (done && repeat == Repeat.IF_NOT_DONE)) {
      fail(problem);
      return;
    }
    again(endpoint, problem, neverSent);
  }

  private void again(Endpoint endpoint, SteleException problem, boolean neverSent) {
    boolean atOnce;
    try {
      if (problem instanceof NotServingException elsewhere
          && elsewhere.hint().isPresent()
          && !elsewhere.hint().get().equals(endpoint.address())) {
        caller.endpoints().follow(elsewhere.hint().get());
        atOnce = hintsFollowed++ < MOST_HINTS;
      } else {
        caller.endpoints().leave(endpoint);
        atOnce = neverSent && attempts < caller.endpoints().size();
      }
    } catch (SteleException closed) {
      fail(problem);
      return;
    }
    long pause = atOnce ? 0 : caller.pauseNanos(attempts);
    if (timeLeft() - pause < LEAST_NANOS) {
      fail(problem);
      return;
    }
    if (atOnce) {
      attempt();
      return;
    }
    try {
      caller.later(this::attempt, pause);
    } catch (RejectedExecutionException closed) {
      fail(problem);
    }
  }

  private void fail(SteleException problem) {
    boolean passing =
        problem instanceof UnavailableException
            || problem instanceof NotServingException
            || problem instanceof OutcomeUnknownException;
    if (!passing) {
      completeExceptionally(problem);
      return;
    }
    String text =
        method.getBareMethodName()
            + ": no answer from "
            + String.join(", ", caller.endpoints().addresses())
            + " in "
            + attempts
            + (attempts == 1 ? " attempt" : " attempts")
            + " within "
            + Duration.ofNanos(timeoutNanos).toMillis()
            + " ms; the last said: "
            + problem.getMessage();
    completeExceptionally(
        perhapsDone
            ? new OutcomeUnknownException(text, problem)
            : new UnavailableException(text, problem));
  }
}
