package io.stele.bench.metastore;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** Single calls over gRPC whose answers are futures. */
final class Calls {
  private Calls() {}

  static <Q, A> CompletableFuture<A> send(
      Channel channel, MethodDescriptor<Q, A> method, Q request) {
    CompletableFuture<A> answer = new CompletableFuture<>();
    ClientCalls.asyncUnaryCall(
        channel.newCall(method, CallOptions.DEFAULT),
        request,
        new StreamObserver<A>() {
          @Override
          public void onNext(A value) {
            answer.complete(value);
          }

          @Override
          public void onError(Throwable problem) {
            answer.completeExceptionally(problem);
          }

          @Override
          public void onCompleted() {
            answer.completeExceptionally(
                new WrongAnswerException(method.getFullMethodName() + " ended without an answer"));
          }
        });
    return answer;
  }
}
