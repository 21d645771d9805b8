package io.stele.gateway.nativeapi;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.FencedException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.protocol.v1.TableDone;
import io.stele.protocol.wire.ErrorMapping;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Calls whose work may take long, each on a thread of its own. */
final class BlockingCalls {
  private final Executor threads;
  private final boolean led;

  BlockingCalls(Executor threads) {
    this(threads, false);
  }

  private BlockingCalls(Executor threads, boolean led) {
    this.threads = threads;
    this.led = led;
  }

  /**
   * Calls that a master answers: if it is replaced meanwhile, whoever asked may ask the next one,
   * but does not know how far this one came.
   */
  static BlockingCalls ofMaster(Executor threads) {
    return new BlockingCalls(threads, true);
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
            caller.onError(ErrorMapping.toStatus(told(e)));
            return;
          }
          caller.onNext(response);
          caller.onCompleted();
        });
  }

  /** Begins work that goes on without its thread, and answers when it has ended. */
  <R> void answerLater(StreamObserver<R> caller, Supplier<CompletableFuture<R>> work) {
    ((ServerCallStreamObserver<R>) caller).setOnCancelHandler(() -> {});
    threads.execute(
        () -> {
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
                      caller.onError(ErrorMapping.toStatus(told(problem)));
                    }
                  });
        });
  }

  private Throwable told(Throwable problem) {
    return led && problem instanceof FencedException replaced
        ? new OutcomeUnknownException(
            "the master was replaced while it was at it, which may or may not be done: "
                + replaced.getMessage(),
            replaced)
        : problem;
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
