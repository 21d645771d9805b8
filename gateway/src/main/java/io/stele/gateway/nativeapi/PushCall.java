package io.stele.gateway.nativeapi;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.v1.NumberedPush;
import io.stele.protocol.v1.NumberedPushAnswer;
import io.stele.protocol.v1.PushesAnswer;
import io.stele.protocol.v1.PushesRequest;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.replicas.push.Push;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Another server's stream of pushes. Each push has a thread until the replica has taken it, since
 * that may block, and one that does must not hold up others; none waits for the disk. Answers leave
 * when the log says that changes are durable, all that are at a time in one message.
 *
 * <p>Beyond {@link #MOST_UNDER_WAY} pushes that are not answered, nothing is taken from the
 * connection.
 */
final class PushCall implements StreamObserver<PushesRequest> {
  private static final int MOST_UNDER_WAY = 1024;

  private final Backend backend;
  private final ServerCallStreamObserver<PushesAnswer> caller;
  private final ExecutorService threads;
  private final Outbox<NumberedPushAnswer, PushesAnswer> answers;

  private int underWay; // guarded by this
  private boolean paused; // guarded by this; no message is asked for
  private boolean complete; // guarded by this; nothing more is taken

  PushCall(
      Backend backend,
      ServerCallStreamObserver<PushesAnswer> caller,
      ExecutorService threads,
      Consumer<PushCall> onEnd) {
    this.backend = backend;
    this.caller = caller;
    this.threads = threads;
    this.answers =
        new Outbox<>(
            caller,
            threads,
            built -> PushesAnswer.newBuilder().addAllAnswers(built).build(),
            () -> onEnd.accept(this));
    caller.setOnCancelHandler(answers::abandon);
    caller.disableAutoRequest();
    caller.request(1);
  }

  @Override
  public void onNext(PushesRequest request) {
    boolean more;
    synchronized (this) {
      if (complete) {
        return; // not done, and not answered
      }
      underWay += request.getPushesCount();
      more = underWay < MOST_UNDER_WAY;
      paused = !more;
    }
    for (NumberedPush push : request.getPushesList()) {
      try {
        threads.execute(() -> take(push));
      } catch (RejectedExecutionException e) {
        return; // the server has stopped, and with it every stream
      }
    }
    if (more) {
      caller.request(1);
    }
  }

  private void take(NumberedPush numbered) {
    CompletableFuture<Push.Answer> answer;
    try {
      answer = backend.replicaPeer().push(ReplicaWire.push(numbered.getPush()));
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    var _ =
        answer.whenComplete(
            (found, problem) -> {
              NumberedPushAnswer.Builder built =
                  NumberedPushAnswer.newBuilder().setNumber(numbered.getNumber());
              if (problem == null) {
                built.setAnswer(ReplicaWire.toWire(found));
              } else {
                built.setError(ErrorMapping.toMessage(problem));
              }
              answers.addSoon(built.build());
              answered();
            });
  }

  private void answered() {
    boolean resume;
    boolean end;
    synchronized (this) {
      underWay--;
      resume = paused && !complete && underWay < MOST_UNDER_WAY;
      paused &= !resume;
      end = complete && underWay == 0;
    }
    if (resume) {
      caller.request(1);
    }
    if (end) {
      answers.end();
    }
  }

  @Override
  public void onError(Throwable problem) {
    // The sender is gone; what it sent is taken all the same.
  }

  @Override
  public void onCompleted() {
    end();
  }

  /** Takes nothing more, and ends the call when what it took is answered. */
  void end() {
    boolean end;
    synchronized (this) {
      end = !complete && underWay == 0;
      complete = true;
    }
    if (end) {
      answers.end();
    }
  }
}
