package io.stele.gateway.bigtable.call;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Answers calls, each of which the caller has sent whole. */
public final class BigtableCalls {
  private final Executor threads;

  /** With threads that may wait, one for each call. */
  public BigtableCalls(Executor threads) {
    this.threads = threads;
  }

  public Executor threads() {
    return threads;
  }

  /** Work that may take long. */
  public <R> void answer(StreamObserver<R> caller, Supplier<R> work) {
    ignoreCancellation(caller);
    threads.execute(
        () -> {
          R response;
          try {
            response = work.get();
          } catch (RuntimeException | Error e) {
            caller.onError(BigtableErrors.of(e));
            return;
          }
          caller.onNext(response);
          caller.onCompleted();
        });
  }

  /** Work that may take long, with several answers. */
  public <R> void stream(StreamObserver<R> caller, Supplier<List<R>> work) {
    ignoreCancellation(caller);
    threads.execute(
        () -> {
          try {
            work.get().forEach(caller::onNext);
          } catch (RuntimeException | Error e) {
            caller.onError(BigtableErrors.of(e));
            return;
          }
          caller.onCompleted();
        });
  }

  /** Work that is begun on the calling thread, which it must not hold up, and ends by itself. */
  public <R> void answerLater(StreamObserver<R> caller, Supplier<CompletableFuture<R>> work) {
    ignoreCancellation(caller);
    begin(caller, work);
  }

  /** Work that may take long to begin, and then ends by itself. */
  public <R> void answerApart(StreamObserver<R> caller, Supplier<CompletableFuture<R>> work) {
    ignoreCancellation(caller);
    threads.execute(() -> begin(caller, work));
  }

  /** With a handler, answers to one who is gone are dropped rather than thrown back. */
  private static <R> void ignoreCancellation(StreamObserver<R> caller) {
    ((ServerCallStreamObserver<R>) caller).setOnCancelHandler(() -> {});
  }

  private static <R> void begin(StreamObserver<R> caller, Supplier<CompletableFuture<R>> work) {
    CompletableFuture<R> answer;
    try {
      answer = work.get();
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    var _ =
        answer.whenComplete(
            (response, problem) -> {
              if (problem == null) {
                caller.onNext(response);
                caller.onCompleted();
              } else {
                caller.onError(BigtableErrors.of(problem));
              }
            });
  }
}
