package io.stele.gateway.nativeapi;

import com.google.protobuf.MessageLite;
import io.grpc.stub.CallStreamObserver;
import io.stele.base.error.SteleException;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireLimits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Small parts on their way over one stream: those that wait are sent in one message. While the
 * connection has more than it can send, parts wait here, and callers with large ones wait in {@link
 * #awaitRoom}.
 *
 * @param <P> the parts
 * @param <M> the messages
 */
final class Outbox<P extends MessageLite, M> {
  private static final long ROOM_BYTES = 4L << 20;

  private final CallStreamObserver<M> stream;
  private final Executor threads;
  private final Function<List<P>, M> message;
  private final Runnable onEnd;
  private final Deque<P> waiting = new ArrayDeque<>(); // guarded by this
  private long waitingBytes; // guarded by this
  private boolean sending; // guarded by this; only one thread sends at a time
  private boolean ending; // guarded by this; nothing is added any more
  private @Nullable SteleException refusal; // guarded by this; why the call ends, if it is refused
  private boolean ended; // guarded by this

  /**
   * Of a stream that has just begun.
   *
   * @param message puts parts together
   * @param onEnd run when nothing is sent any more
   */
  Outbox(
      CallStreamObserver<M> stream,
      Executor threads,
      Function<List<P>, M> message,
      Runnable onEnd) {
    this.stream = stream;
    this.threads = threads;
    this.message = message;
    this.onEnd = onEnd;
    stream.setOnReadyHandler(this::send);
  }

  /** Sends parts that were made together. */
  void addAll(List<P> parts) {
    enqueue(parts);
    send();
  }

  /**
   * Sends a part that others are likely to follow at once, as when a commit becomes durable: by
   * another thread, so that they go together.
   */
  void addSoon(P part) {
    if (enqueue(List.of(part))) {
      try {
        threads.execute(this::send);
      } catch (RejectedExecutionException e) {
        send(); // the server is stopping
      }
    }
  }

  /** True if nobody sends yet. */
  private synchronized boolean enqueue(List<P> parts) {
    if (ended) {
      return false;
    }
    boolean first = waiting.isEmpty();
    for (P part : parts) {
      waiting.add(part);
      waitingBytes += part.getSerializedSize();
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

  /** Waits until few parts wait; false if the other side is gone. */
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
      List<P> parts;
      synchronized (this) {
        if (ended || waiting.isEmpty() || !stream.isReady()) {
          // Should it be ready by now, its handler waits for this lock and goes on from here.
          sending = false;
          if (ended || !ending || !waiting.isEmpty()) {
            return;
          }
          ended = true;
          problem = refusal;
          break;
        }
        parts = gather();
        notifyAll();
      }
      stream.onNext(message.apply(parts));
    }
    if (problem == null) {
      stream.onCompleted();
    } else {
      stream.onError(ErrorMapping.toStatus(problem));
    }
    onEnd.run();
  }

  private List<P> gather() {
    List<P> parts = new ArrayList<>(waiting.size());
    long bytes = 0;
    while (!waiting.isEmpty() && bytes < WireLimits.GATHERED_BYTES) {
      int size = waiting.getFirst().getSerializedSize();
      if (bytes > 0 && bytes + size > WireLimits.MAX_MESSAGE_BYTES - WireLimits.GATHERED_BYTES) {
        break;
      }
      bytes += size;
      parts.add(waiting.removeFirst());
    }
    waitingBytes -= bytes;
    return parts;
  }

  /** The other side is gone: nothing more is sent. */
  void abandon() {
    synchronized (this) {
      ended = true;
      waiting.clear();
      waitingBytes = 0;
      notifyAll();
    }
    onEnd.run();
  }
}
