package io.stele.gateway.nativeapi;

import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.protocol.v1.NumberedPush;
import io.stele.protocol.v1.NumberedPushAnswer;
import io.stele.protocol.v1.PushRequest;
import io.stele.protocol.v1.PushesAnswer;
import io.stele.protocol.v1.PushesRequest;
import io.stele.protocol.v1.ReplicaPeerGrpc;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireLimits;
import io.stele.replicas.push.Push;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The pushes of all replicas here to those of one other server, on one stream: what waits at the
 * same time goes in one message. Each push has its own answer, and its own time to be answered in;
 * when the stream ends, all that have none fail.
 */
final class PushStream implements ClientResponseObserver<PushesRequest, PushesAnswer> {
  private final PeerCalls calls;
  private final Duration patience;
  private final Map<Long, CompletableFuture<Push.Answer>> underWay = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();
  private volatile @Nullable Throwable end; // set once, before what is under way fails
  private @Nullable Outbox<NumberedPush, PushesRequest> outbox; // set before anybody else knows it

  private PushStream(PeerCalls calls, Duration patience) {
    this.calls = calls;
    this.patience = patience;
  }

  /**
   * Begins a stream.
   *
   * @param patience how long each push may take
   */
  static PushStream begin(PeerCalls calls, Duration patience) {
    PushStream stream = new PushStream(calls, patience);
    Context outer = Context.ROOT.attach(); // the stream outlives the call that opens it
    try {
      var _ =
          ClientCalls.asyncBidiStreamingCall(
              calls
                  .channel()
                  .newCall(
                      ReplicaPeerGrpc.getPushesMethod(),
                      CallOptions.DEFAULT.withMaxInboundMessageSize(WireLimits.MAX_MESSAGE_BYTES)),
              stream);
    } finally {
      Context.ROOT.detach(outer);
    }
    return stream;
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<PushesRequest> requests) {
    outbox =
        new Outbox<>(
            requests,
            PeerCalls.THREADS,
            pushes -> PushesRequest.newBuilder().addAllPushes(pushes).build(),
            () -> {});
  }

  boolean hasEnded() {
    return end != null;
  }

  /** What depends on the answer may block. */
  CompletableFuture<Push.Answer> push(PushRequest push) {
    long number = numbers.incrementAndGet();
    CompletableFuture<Push.Answer> answer = new CompletableFuture<>();
    underWay.put(number, answer);
    Outbox<NumberedPush, PushesRequest> sent = outbox;
    if (sent != null) {
      sent.addSoon(NumberedPush.newBuilder().setNumber(number).setPush(push).build());
    }
    Throwable problem = end;
    if (problem != null) { // perhaps before this one was under way
      fail(number, answer, problem);
    }
    return answer
        .orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS)
        .handle(
            (found, failure) -> {
              underWay.remove(number);
              if (failure instanceof TimeoutException) {
                throw new OutcomeUnknownException(
                    "%s: no answer within %s".formatted(what(), patience));
              }
              if (failure != null) {
                throw calls.explain(what(), failure, true);
              }
              return found;
            });
  }

  private String what() {
    return calls.what(ReplicaPeerGrpc.getPushesMethod());
  }

  @Override
  public void onNext(PushesAnswer message) {
    List<NumberedPushAnswer> answers = message.getAnswersList();
    PeerCalls.THREADS.execute(() -> answers.forEach(this::answered));
  }

  private void answered(NumberedPushAnswer numbered) {
    CompletableFuture<Push.Answer> answer = underWay.get(numbered.getNumber());
    if (answer == null) {
      return; // it was given up
    }
    if (numbered.hasAnswer()) {
      answer.complete(ReplicaWire.answer(numbered.getAnswer()));
    } else {
      answer.completeExceptionally(ErrorMapping.fromMessage(calls.address(), numbered.getError()));
    }
  }

  @Override
  public void onError(Throwable problem) {
    end(problem);
  }

  @Override
  public void onCompleted() {
    end(new UnavailableException(calls.address() + " is stopping"));
  }

  private void end(Throwable problem) {
    end = problem;
    Outbox<NumberedPush, PushesRequest> sent = outbox;
    if (sent != null) {
      sent.abandon();
    }
    PeerCalls.THREADS.execute(
        () -> underWay.forEach((number, answer) -> fail(number, answer, problem)));
  }

  private void fail(long number, CompletableFuture<Push.Answer> answer, Throwable problem) {
    underWay.remove(number);
    answer.completeExceptionally(problem);
  }
}
