package io.stele.gateway.nativeapi;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.protocol.v1.Chunk;
import io.stele.protocol.wire.ErrorMapping;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.concurrent.ExecutorService;

/**
 * Bytes on their way to a client in chunks. Whoever writes waits while the connection has more than
 * it can send, so a slow client costs one chunk of memory.
 */
final class ChunkOutput extends OutputStream {
  static final int CHUNK_BYTES = 64 << 10;

  private final ServerCallStreamObserver<Chunk> caller;
  private final Object turn = new Object();
  private byte[] chunk = new byte[CHUNK_BYTES];
  private int used;

  private ChunkOutput(ServerCallStreamObserver<Chunk> caller) {
    this.caller = caller;
  }

  /** Writes what is to be sent. */
  interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  /** Sends the content from a thread of its own. */
  static void send(StreamObserver<Chunk> observer, ExecutorService threads, Content content) {
    ServerCallStreamObserver<Chunk> caller = (ServerCallStreamObserver<Chunk>) observer;
    ChunkOutput out = new ChunkOutput(caller);
    caller.setOnReadyHandler(out::wake);
    caller.setOnCancelHandler(out::wake);
    threads.execute(
        () -> {
          try {
            content.writeTo(out);
            out.flush();
            caller.onCompleted();
          } catch (IOException e) {
            if (!caller.isCancelled()) {
              caller.onError(ErrorMapping.toStatus(new UnavailableException(e.toString(), e)));
            }
          } catch (SteleException e) {
            if (!caller.isCancelled()) {
              caller.onError(ErrorMapping.toStatus(e));
            }
          }
        });
  }

  private void wake() {
    synchronized (turn) {
      turn.notifyAll();
    }
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int at = offset;
    int left = length;
    while (left > 0) {
      int fits = Math.min(left, chunk.length - used);
      System.arraycopy(bytes, at, chunk, used, fits);
      used += fits;
      at += fits;
      left -= fits;
      if (used == chunk.length) {
        flush();
      }
    }
  }

  @Override
  public void flush() throws IOException {
    if (used == 0) {
      return;
    }
    synchronized (turn) {
      while (!caller.isReady() && !caller.isCancelled()) {
        try {
          turn.wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException("interrupted while sending");
        }
      }
    }
    if (caller.isCancelled()) {
      throw new IOException("the receiver is gone");
    }
    caller.onNext(
        Chunk.newBuilder().setData(UnsafeByteOperations.unsafeWrap(chunk, 0, used)).build());
    chunk = new byte[CHUNK_BYTES]; // the message has the other one
    used = 0;
  }
}
