package io.stele.gateway.nativeapi;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.v1.TableDone;
import io.stele.protocol.wire.ErrorMapping;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Calls whose work may take long, each on a thread of its own. */
final class BlockingCalls {
  private final Executor threads;

  BlockingCalls(Executor threads) {
    this.threads = threads;
  }

  <R> void answer(StreamObserver<R> caller, Supplier<R> work) {
    // With a handler, answers to one who is gone are dropped rather than thrown back.
    ((ServerCallStreamObserver<R>) caller).setOnCancelHandler(() -> {});
    threads.execute(
        () -> {
          R response;
          try {
            response = work.get();
          } catch (RuntimeException | Error e) {
            caller.onError(ErrorMapping.toStatus(e));
            return;
          }
          caller.onNext(response);
          caller.onCompleted();
        });
  }

  void done(StreamObserver<TableDone> caller, Runnable work) {
    answer(
        caller,
        () -> {
          work.run();
          return TableDone.getDefaultInstance();
        });
  }
}
