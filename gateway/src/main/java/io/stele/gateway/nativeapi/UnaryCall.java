package io.stele.gateway.nativeapi;

import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.protocol.wire.ErrorMapping;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call, from the request to its answer: by this member, or by the one that leads.
 *
 * @param <Q> the request
 * @param <R> the response
 * @param <A> the answer behind the response
 */
final class UnaryCall<Q, R, A> implements BiConsumer<A, @Nullable Throwable> {
  private final Forwarder forwarder;
  private final MethodDescriptor<Q, R> method;
  private final Q request;
  private final StreamObserver<R> caller;
  private final Function<A, R> toWire;
  private final CallInfo info = CallInfo.current();
  private final @Nullable Deadline deadline = Context.current().getDeadline();

  // What to end if the caller is gone; both guarded by this. Only of calls that watch for it.
  private boolean cancelled;
  private @Nullable ClientCall<Q, R> forwarded;

  UnaryCall(
      Forwarder forwarder,
      MethodDescriptor<Q, R> method,
      Q request,
      StreamObserver<R> caller,
      Function<A, R> toWire) {
    this.forwarder = forwarder;
    this.method = method;
    this.request = request;
    this.caller = caller;
    this.toWire = toWire;
  }

  String principal() {
    return info.principal();
  }

  /** Ends the wait for the answer when the caller is gone. To be called before the handler ends. */
  void endWithCaller(CompletableFuture<A> answer) {
    ((ServerCallStreamObserver<R>) caller)
        .setOnCancelHandler(
            () -> {
              ClientCall<Q, R> call;
              synchronized (this) {
                cancelled = true;
                call = forwarded;
              }
              answer.cancel(false);
              if (call != null) {
                call.cancel("the caller is gone", null);
              }
            });
  }

  @Override
  public void accept(A answer, @Nullable Throwable problem) {
    if (problem == null) {
      R response;
      try {
        response = toWire.apply(answer);
      } catch (RuntimeException e) {
        fail(e);
        return;
      }
      caller.onNext(response);
      caller.onCompleted();
    } else {
      fail(problem);
    }
  }

  void fail(Throwable problem) {
    Throwable found =
        problem instanceof CompletionException && problem.getCause() != null
            ? problem.getCause()
            : problem;
    if (found instanceof NotServingException elsewhere
        && info.forwardable()
        && elsewhere.hint().isPresent()) {
      forward(elsewhere.hint().get());
    } else {
      caller.onError(ErrorMapping.toStatus(found));
    }
  }

  private void forward(String leader) {
    try {
      synchronized (this) {
        if (!cancelled) {
          forwarded =
              forwarder.forward(method, request, leader, info.principal(), deadline, caller);
        }
      }
    } catch (SteleException e) {
      caller.onError(ErrorMapping.toStatus(e));
    }
  }
}
