package io.stele.gateway.nativeapi;

import com.google.protobuf.ByteString;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.protocol.v1.Chunk;
import io.stele.protocol.wire.ErrorMapping;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Bytes that a client sends in chunks, to be read by a thread of their own. The next chunk is asked
 * for when one has been read: at most {@link #WINDOW} wait here.
 */
final class ChunkInput extends InputStream implements StreamObserver<Chunk> {
  private static final int WINDOW = 4;

  /** What the queue holds: chunks, and in the end how it ended. */
  private sealed interface Part {
    record Data(ByteString bytes) implements Part {}

    record End() implements Part {}

    record Broken(Throwable problem) implements Part {}
  }

  private final ServerCallStreamObserver<?> caller;
  private final LinkedBlockingQueue<Part> parts = new LinkedBlockingQueue<>(); // of WINDOW + 1
  private ByteString current = ByteString.EMPTY;
  private int at;
  private boolean ended;

  private ChunkInput(ServerCallStreamObserver<?> caller) {
    this.caller = caller;
  }

  /** Reads what is sent, and answers. */
  interface Content<R> {
    R readFrom(InputStream in) throws IOException;
  }

  static <R> StreamObserver<Chunk> receive(
      StreamObserver<R> observer, ExecutorService threads, Content<R> content) {
    ServerCallStreamObserver<R> caller = (ServerCallStreamObserver<R>) observer;
    ChunkInput in = new ChunkInput(caller);
    caller.disableAutoRequest();
    caller.setOnCancelHandler(() -> in.onError(new IOException("the sender is gone")));
    threads.execute(
        () -> {
          try {
            R answer = content.readFrom(in);
            caller.onNext(answer);
            caller.onCompleted();
          } catch (IOException e) {
            caller.onError(ErrorMapping.toStatus(new UnavailableException(e.toString(), e)));
          } catch (SteleException e) {
            caller.onError(ErrorMapping.toStatus(e));
          }
        });
    caller.request(WINDOW);
    return in;
  }

  @Override
  public void onNext(Chunk chunk) {
    parts.add(new Part.Data(chunk.getData()));
  }

  @Override
  public void onError(Throwable problem) {
    parts.add(new Part.Broken(problem));
  }

  @Override
  public void onCompleted() {
    parts.add(new Part.End());
  }

  @Override
  public int read() throws IOException {
    return more() ? current.byteAt(at++) & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!more()) {
      return -1;
    }
    int count = Math.min(length, current.size() - at);
    current.substring(at, at + count).copyTo(target, offset);
    at += count;
    return count;
  }

  private boolean more() throws IOException {
    while (at == current.size()) {
      if (ended) {
        return false;
      }
      switch (take()) {
        case Part.Data(var bytes) -> {
          current = bytes;
          at = 0;
          caller.request(1);
        }
        case Part.End() -> ended = true;
        case Part.Broken(var problem) ->
            throw new IOException("the transfer broke off: " + problem.getMessage(), problem);
      }
    }
    return true;
  }

  private Part take() throws InterruptedIOException {
    try {
      return parts.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while receiving");
    }
  }
}
