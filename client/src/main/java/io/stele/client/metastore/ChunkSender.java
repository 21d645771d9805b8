package io.stele.client.metastore;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.stele.base.error.UnavailableException;
import io.stele.protocol.v1.Chunk;
import io.stele.protocol.wire.ErrorMapping;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends chunks at the pace at which the server takes them.
 *
 * @param <R> the answer to all of them
 */
final class ChunkSender<R> implements ClientResponseObserver<Chunk, R> {
  static final int CHUNK_BYTES = 64 << 10;

  private final String address;
  private final CompletableFuture<R> answer = new CompletableFuture<>();
  private final Object turn = new Object();
  private @Nullable ClientCallStreamObserver<Chunk> stream; // set before the call starts

  ChunkSender(String address) {
    this.address = address;
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<Chunk> started) {
    stream = started;
    started.setOnReadyHandler(this::wake);
    var _ = answer.whenComplete((response, problem) -> wake());
  }

  private void wake() {
    synchronized (turn) {
      turn.notifyAll();
    }
  }

  private ClientCallStreamObserver<Chunk> stream() {
    ClientCallStreamObserver<Chunk> started = stream;
    if (started == null) {
      throw new IllegalStateException("the call has not started");
    }
    return started;
  }

  /** Returns false if the answer came before the end. */
  boolean send(Chunk chunk) throws InterruptedIOException {
    synchronized (turn) {
      while (!stream().isReady() && !answer.isDone()) {
        try {
          turn.wait();
        } catch (InterruptedException e) {
          stream().cancel("interrupted", e);
          Thread.currentThread().interrupt();
          throw new InterruptedIOException("interrupted while sending");
        }
      }
    }
    if (answer.isDone()) {
      return false;
    }
    stream().onNext(chunk);
    return true;
  }

  CompletableFuture<R> finish() {
    if (!answer.isDone()) {
      stream().onCompleted();
    }
    return answer;
  }

  @Override
  public void onNext(R response) {
    answer.complete(response);
  }

  @Override
  public void onError(Throwable problem) {
    answer.completeExceptionally(ErrorMapping.fromThrown(address, problem));
  }

  @Override
  public void onCompleted() {
    answer.completeExceptionally( // unless there was one
        new UnavailableException(address + ": an answer without content"));
  }
}
