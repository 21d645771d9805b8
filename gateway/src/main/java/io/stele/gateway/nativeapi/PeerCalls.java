package io.stele.gateway.nativeapi;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireLimits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Calls to one other server. Where there was no connection to it, they fail with {@code
 * Unavailable}; where the answer to a change was lost, with {@code OutcomeUnknown}. All end within
 * the time that they are given.
 */
final class PeerCalls {
  /** Answers arrive on the network's threads, which must not wait; what depends on them may. */
  static final Executor THREADS = task -> Thread.ofVirtual().name("stele-peer-answer").start(task);

  private final Channels channels;
  private final String address;

  PeerCalls(Channels channels, String address) {
    this.channels = channels;
    this.address = address;
  }

  String address() {
    return address;
  }

  ManagedChannel channel() {
    return channels.to(address);
  }

  /** Waits for the answer; an interrupt ends the call. */
  <Q, R> R call(MethodDescriptor<Q, R> method, Q request, Duration within, boolean changes) {
    Answer<R> answer = start(method, request, within);
    String what = what(method);
    try {
      return answer.get();
    } catch (InterruptedException e) {
      answer.call.cancel("interrupted", e);
      Thread.currentThread().interrupt();
      throw lost(what + ": interrupted while waiting for the answer", changes, e);
    } catch (ExecutionException e) {
      throw explain(what, e.getCause() == null ? e : e.getCause(), changes);
    }
  }

  /** The same without waiting; what depends on the future may block. */
  <Q, R> CompletableFuture<R> begin(
      MethodDescriptor<Q, R> method, Q request, Duration within, boolean changes) {
    Answer<R> answer;
    try {
      answer = start(method, request, within);
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
    return answer.handleAsync(
        (response, problem) -> {
          if (problem != null) {
            throw explain(what(method), problem, changes);
          }
          return response;
        },
        THREADS);
  }

  String what(MethodDescriptor<?, ?> method) {
    return method.getBareMethodName() + " at " + address;
  }

  private <Q, R> Answer<R> start(MethodDescriptor<Q, R> method, Q request, Duration within) {
    // Not in the context of the request that happens to be served here: a call ends with its
    // context, but what a server was told to do for all does not.
    Context outer = Context.ROOT.attach();
    try {
      CallOptions options =
          CallOptions.DEFAULT
              .withMaxInboundMessageSize(WireLimits.MAX_MESSAGE_BYTES)
              .withDeadlineAfter(within.toNanos(), TimeUnit.NANOSECONDS);
      ClientCall<Q, R> call = channel().newCall(method, options);
      Answer<R> answer = new Answer<>(call);
      ClientCalls.asyncUnaryCall(call, request, answer);
      return answer;
    } finally {
      Context.ROOT.detach(outer);
    }
  }

  private static final class Answer<R> extends CompletableFuture<R> implements StreamObserver<R> {
    private final ClientCall<?, R> call;

    Answer(ClientCall<?, R> call) {
      this.call = call;
    }

    @Override
    public void onNext(R response) {
      complete(response);
    }

    @Override
    public void onError(Throwable problem) {
      completeExceptionally(problem);
    }

    @Override
    public void onCompleted() {
      completeExceptionally(new UnavailableException("an answer without content")); // unless done
    }
  }

  /** The server's own words; or, if the connection failed, whether it may have done it. */
  SteleException explain(String what, Throwable problem, boolean changes) {
    SteleException found = ErrorMapping.fromThrown(address, problem);
    Metadata trailers = Status.trailersFromThrowable(problem);
    if (ErrorMapping.isAnswer(trailers)) {
      return found;
    }
    if (ErrorMapping.neverSent(Status.fromThrowable(problem))) {
      channels.unreachable(address);
      return new UnavailableException(what + ": no connection: " + found.getMessage(), found);
    }
    return found instanceof UnavailableException
        ? lost(what + ": the answer was lost: " + found.getMessage(), changes, found)
        : found;
  }

  private static SteleException lost(String message, boolean changes, Throwable cause) {
    return changes
        ? new OutcomeUnknownException(message, cause)
        : new UnavailableException(message, cause);
  }
}
