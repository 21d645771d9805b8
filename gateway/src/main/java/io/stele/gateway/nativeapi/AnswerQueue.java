package io.stele.gateway.nativeapi;

import io.grpc.stub.ServerCallStreamObserver;
import io.stele.base.error.SteleException;
import io.stele.protocol.v1.ExchangeResponse;
import io.stele.protocol.v1.TableAnswer;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireLimits;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Answers on their way to one client: what waits is sent in one message. While the connection has
 * more than it can send, answers wait here, and whoever would make large ones waits in {@link
 * #awaitRoom}.
 */
final class AnswerQueue {
  private static final long ROOM_BYTES = 4L << 20;

  private final ServerCallStreamObserver<ExchangeResponse> caller;
  private final Executor threads;
  private final long incarnation;
  private final Runnable onEnd;
  private final Deque<TableAnswer> waiting = new ArrayDeque<>(); // guarded by this
  private long waitingBytes; // guarded by this
  private boolean sending; // guarded by this; only one thread sends at a time
  private boolean ending; // guarded by this; nothing is added any more
  private @Nullable SteleException refusal; // guarded by this; why the call ends, if it is refused
  private boolean ended; // guarded by this

  AnswerQueue(
      ServerCallStreamObserver<ExchangeResponse> caller,
      Executor threads,
      long incarnation,
      Runnable onEnd) {
    this.caller = caller;
    this.onEnd = onEnd;
    this.threads = threads;
    this.incarnation = incarnation;
    caller.setOnReadyHandler(this::send);
    caller.setOnCancelHandler(this::abandon);
  }

  /** Sends answers that were made together. */
  void addAll(List<TableAnswer> answers) {
    enqueue(answers);
    send();
  }

  /**
   * Sends an answer that others are likely to follow at once, as when a commit becomes durable: by
   * another thread, so that they go together.
   */
  void addSoon(TableAnswer answer) {
    if (enqueue(List.of(answer))) {
      try {
        threads.execute(this::send);
      } catch (RejectedExecutionException e) {
        send(); // the server is stopping
      }
    }
  }

  /** True if nobody sends yet. */
  private synchronized boolean enqueue(List<TableAnswer> answers) {
    if (ended) {
      return false;
    }
    boolean first = waiting.isEmpty();
    for (TableAnswer answer : answers) {
      waiting.add(answer);
      waitingBytes += answer.getSerializedSize();
    }
    return first && !sending;
  }

  /** Ends the call once all that was added is sent. */
  void end() {
    end(null);
  }

  /** Likewise; with a problem if something is not going to be answered because of it. */
  void end(@Nullable SteleException problem) {
    synchronized (this) {
      ending = true;
      refusal = problem;
    }
    send();
  }

  /** Waits until few answers wait; false if the client is gone. */
  synchronized boolean awaitRoom() {
    while (!ended && waitingBytes > ROOM_BYTES) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return !ended;
  }

  private void send() {
    synchronized (this) {
      if (sending || ended) {
        return;
      }
      sending = true;
    }
    SteleException problem;
    while (true) {
      ExchangeResponse message;
      synchronized (this) {
        if (ended || waiting.isEmpty() || !caller.isReady()) {
          // Should it be ready by now, its handler waits for this lock and goes on from here.
          sending = false;
          if (ended || !ending || !waiting.isEmpty()) {
            return;
          }
          ended = true;
          problem = refusal;
          break;
        }
        message = gather();
        notifyAll();
      }
      caller.onNext(message);
    }
    if (problem == null) {
      caller.onCompleted();
    } else {
      caller.onError(ErrorMapping.toStatus(problem));
    }
    onEnd.run();
  }

  private ExchangeResponse gather() {
    ExchangeResponse.Builder message = ExchangeResponse.newBuilder().setIncarnation(incarnation);
    long bytes = 0;
    while (!waiting.isEmpty() && bytes < WireLimits.GATHERED_BYTES) {
      int size = waiting.getFirst().getSerializedSize();
      if (bytes > 0 && bytes + size > WireLimits.MAX_MESSAGE_BYTES - WireLimits.GATHERED_BYTES) {
        break;
      }
      bytes += size;
      message.addAnswers(waiting.removeFirst());
    }
    waitingBytes -= bytes;
    return message.build();
  }

  private void abandon() {
    synchronized (this) {
      ended = true;
      waiting.clear();
      waitingBytes = 0;
      notifyAll();
    }
    onEnd.run();
  }
}
