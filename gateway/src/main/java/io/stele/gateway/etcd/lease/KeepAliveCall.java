package io.stele.gateway.etcd.lease;

import io.grpc.CallOptions;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.gateway.etcd.call.EtcdCaller;
import io.stele.gateway.etcd.call.EtcdCalls;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.gateway.etcd.call.EtcdErrors;
import io.stele.gateway.etcd.call.OpenStreams;
import io.stele.metastore.command.Answer;
import io.stele.protocol.etcd.LeaseGrpc;
import io.stele.protocol.etcd.LeaseKeepAliveRequest;
import io.stele.protocol.etcd.LeaseKeepAliveResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One stream of renewals. Each is answered when it is done, by the leader's clock; a lease that has
 * ended is answered with the time 0, which ends nothing else.
 */
final class KeepAliveCall implements StreamObserver<LeaseKeepAliveRequest>, OpenStreams.Stream {
  private static final long FORWARD_SECONDS = 5;
  private static final long HELD_BYTES = 64;

  /** Requests of a stream that may be under way, or answered and not taken yet. */
  private static final int MOST = 64;

  private final EtcdCalls calls;
  private final ServerCallStreamObserver<LeaseKeepAliveResponse> caller;
  private final EtcdCaller who = EtcdCaller.current();

  // Guarded by this.
  private int underWay;
  private int owed; // requests to be taken once the client takes answers
  private boolean complete; // the client will send no more
  private boolean ended;

  KeepAliveCall(EtcdCalls calls, StreamObserver<LeaseKeepAliveResponse> caller) {
    this.calls = calls;
    this.caller = (ServerCallStreamObserver<LeaseKeepAliveResponse>) caller;
    this.caller.setOnCancelHandler(this::abandon);
    this.caller.setOnReadyHandler(this::takeOwed);
    this.caller.disableAutoRequest();
    this.caller.request(MOST);
    calls.backend().streams().add(this);
  }

  @Override
  public void onNext(LeaseKeepAliveRequest request) {
    synchronized (this) {
      underWay++;
    }
    var _ =
        calls
            .whileLed(who, HELD_BYTES, caller::isCancelled, () -> renew(request))
            .whenComplete(
                (response, problem) -> {
                  if (problem == null) {
                    answer(response);
                  } else {
                    fail(problem);
                  }
                });
  }

  private CompletableFuture<LeaseKeepAliveResponse> renew(LeaseKeepAliveRequest request) {
    try {
      return calls
          .backend()
          .metastore()
          .renewLease(request.getID())
          .thenApply(time -> response(request, time.toSeconds()))
          .exceptionallyCompose(problem -> elsewhere(request, problem));
    } catch (RuntimeException e) {
      return elsewhere(request, e);
    }
  }

  private LeaseKeepAliveResponse response(LeaseKeepAliveRequest request, long seconds) {
    return LeaseKeepAliveResponse.newBuilder()
        .setHeader(calls.backend().header())
        .setID(request.getID())
        .setTTL(seconds)
        .build();
  }

  private CompletableFuture<LeaseKeepAliveResponse> elsewhere(
      LeaseKeepAliveRequest request, Throwable problem) {
    if (isAbsent(problem)) {
      return CompletableFuture.completedFuture(response(request, 0));
    }
    Optional<String> leader = EtcdCalls.leaderToAsk(who, problem);
    return leader.isPresent()
        ? forward(request, leader.get())
        : CompletableFuture.failedFuture(problem);
  }

  static boolean isAbsent(Throwable problem) {
    return EtcdErrors.kind(problem).equals(Optional.of(Answer.Kind.LEASE_ABSENT));
  }

  private CompletableFuture<LeaseKeepAliveResponse> forward(
      LeaseKeepAliveRequest request, String leader) {
    CompletableFuture<LeaseKeepAliveResponse> answer = new CompletableFuture<>();
    StreamObserver<LeaseKeepAliveRequest> stream =
        ClientCalls.asyncBidiStreamingCall(
            calls
                .to(leader, who)
                .newCall(
                    LeaseGrpc.getLeaseKeepAliveMethod(),
                    CallOptions.DEFAULT.withDeadlineAfter(FORWARD_SECONDS, TimeUnit.SECONDS)),
            new StreamObserver<>() {
              @Override
              public void onNext(LeaseKeepAliveResponse response) {
                answer.complete(response);
              }

              @Override
              public void onError(Throwable problem) {
                answer.completeExceptionally(explain(leader, problem));
              }

              @Override
              public void onCompleted() {
                answer.completeExceptionally(EtcdError.TIMEOUT.exception()); // unless it came
              }
            });
    stream.onNext(request);
    stream.onCompleted();
    return answer;
  }

  private Throwable explain(String leader, Throwable problem) {
    return calls.explain(leader, problem, LeaseGrpc.getLeaseKeepAliveMethod(), true);
  }

  private synchronized void answer(LeaseKeepAliveResponse response) {
    underWay--;
    if (!ended && !caller.isCancelled()) {
      caller.onNext(response);
      owed++;
      takeOwed();
      endIfDone();
    }
  }

  /** A client that sends and does not read is not listened to any more. */
  private synchronized void takeOwed() {
    if (owed > 0 && !ended && caller.isReady()) {
      caller.request(owed);
      owed = 0;
    }
  }

  private synchronized void fail(Throwable problem) {
    if (!ended && !caller.isCancelled()) {
      ended = true;
      calls.backend().streams().remove(this);
      caller.onError(EtcdErrors.of(problem));
    }
  }

  @Override
  public void stop() {
    fail(EtcdError.STOPPED.exception());
  }

  private synchronized void abandon() {
    ended = true;
    calls.backend().streams().remove(this);
  }

  private void endIfDone() {
    if (complete && underWay == 0 && !ended) {
      ended = true;
      calls.backend().streams().remove(this);
      caller.onCompleted();
    }
  }

  @Override
  public void onError(Throwable problem) {
    abandon();
  }

  @Override
  public synchronized void onCompleted() {
    complete = true;
    if (!caller.isCancelled()) {
      endIfDone();
    }
  }
}
