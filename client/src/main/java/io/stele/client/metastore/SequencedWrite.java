package io.stele.client.metastore;

import io.grpc.MethodDescriptor;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.client.call.Caller;
import io.stele.client.call.PendingCall;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.Origin;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A change under a number of a session: however often it is sent, it is done once.
 *
 * <p>That promise ends with the session. A change that was sent, whose answer was lost, and whose
 * session then ended has an unknown outcome; one that was certainly not done is sent again under
 * the next session, if it is the client's own that ended.
 *
 * @param <Q> the request
 * @param <R> the response
 */
final class SequencedWrite<Q, R> extends CompletableFuture<R> implements LongConsumer {
  private static final int MOST_SESSIONS = 3;

  private final Caller caller;
  private final MethodDescriptor<Q, R> method;
  private final Function<Origin, Q> toRequest;
  private final Repeat repeat;
  private final long start;
  private final long timeoutNanos;
  private final @Nullable OwnSession own;

  // Written before the number is taken, read after.
  private @Nullable Session session;
  private int sessions;
  private volatile @Nullable PendingCall<Q, R> underWay;

  /**
   * Not sent yet.
   *
   * @param own where the next session comes from, if this one is the client's own
   */
  SequencedWrite(
      Caller caller,
      MethodDescriptor<Q, R> method,
      Function<Origin, Q> toRequest,
      Repeat repeat,
      Duration timeout,
      @Nullable OwnSession own) {
    this.caller = caller;
    this.method = method;
    this.toRequest = toRequest;
    this.repeat = repeat;
    this.start = caller.clock().nanos();
    this.timeoutNanos = timeout.toNanos();
    this.own = own;
  }

  void send(Session under) {
    session = under;
    sessions++;
    try {
      under.sequences().take(this);
    } catch (ExhaustedException e) {
      completeExceptionally(e);
    }
  }

  /** Whether it was sent more than once. */
  boolean repeated() {
    PendingCall<Q, R> call = underWay;
    return call != null && call.repeated();
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    PendingCall<Q, R> call = underWay;
    if (cancelled && call != null) {
      call.cancel(mayInterruptIfRunning);
    }
    return cancelled;
  }

  /** The number is here. */
  @Override
  public void accept(long number) {
    Session under = Objects.requireNonNull(session);
    Sequences sequences = under.sequences();
    long left = timeoutNanos - (caller.clock().nanos() - start);
    if (isDone() || left <= 0) {
      sequences.answered(number);
      completeExceptionally(
          new UnavailableException(
              method.getBareMethodName()
                  + ": was not sent, as earlier changes waited for their answers too long"));
      return;
    }
    Q request =
        toRequest.apply(
            Origin.newBuilder()
                .setSession(under.id())
                .setSequence(number)
                .setAnsweredBelow(sequences.answeredBelow())
                .build());
    PendingCall<Q, R> call = caller.call(method, request, repeat, Duration.ofNanos(left));
    underWay = call;
    if (isCancelled()) {
      call.cancel(false);
    }
    var _ =
        call.whenComplete(
            (response, thrown) -> {
              sequences.answered(number);
              if (thrown == null) {
                complete(response);
              } else if (!isDone()) {
                failed(under, Await.problem(thrown), call.perhapsDone());
              }
            });
  }

  private void failed(Session under, SteleException problem, boolean perhapsDone) {
    if (perhapsDone && problem instanceof ExhaustedException) {
      completeExceptionally(unknown(problem));
    } else if (problem instanceof NotFoundException || problem instanceof FencedException) {
      var _ =
          under
              .hasEnded()
              .whenComplete(
                  (ended, unreachable) -> {
                    if (unreachable == null && ended) {
                      lost(problem, perhapsDone);
                    } else {
                      completeExceptionally(problem);
                    }
                  });
    } else {
      completeExceptionally(problem);
    }
  }

  /** The session ended before the answer came. */
  private void lost(SteleException problem, boolean perhapsDone) {
    if (perhapsDone) {
      completeExceptionally(unknown(problem));
    } else if (own == null || sessions >= MOST_SESSIONS) {
      completeExceptionally(problem);
    } else {
      own.send(this);
    }
  }

  private SteleException unknown(SteleException problem) {
    return new OutcomeUnknownException(
        method.getBareMethodName()
            + ": the answer was lost, and when asked again the server said: "
            + problem.getMessage(),
        problem);
  }
}
