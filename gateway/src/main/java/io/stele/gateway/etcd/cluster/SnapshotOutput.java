package io.stele.gateway.etcd.cluster;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.stele.protocol.etcd.ResponseHeader;
import io.stele.protocol.etcd.SnapshotResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A backup on its way to an etcd client. Whoever writes waits while the connection has more than it
 * can send. etcd's clients expect whole pages, and behind them a digest of all that was sent:
 *
 * <pre>
 *   snapshot := backup  0*, up to a multiple of 512 bytes  SHA-256 of all before it (32)
 * </pre>
 */
final class SnapshotOutput extends OutputStream {
  private static final int CHUNK_BYTES = 64 << 10;
  private static final int PAGE_BYTES = 512;

  private final ServerCallStreamObserver<SnapshotResponse> caller;
  private final MessageDigest digest;
  private final Object turn = new Object();
  private byte[] chunk = new byte[CHUNK_BYTES];
  private int used;
  private long written;

  SnapshotOutput(ServerCallStreamObserver<SnapshotResponse> caller) {
    this.caller = caller;
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
    caller.setOnReadyHandler(this::wake);
    caller.setOnCancelHandler(this::wake);
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
    digest.update(bytes, offset, length);
    add(bytes, offset, length);
  }

  private void add(byte[] bytes, int offset, int length) throws IOException {
    int at = offset;
    int left = length;
    while (left > 0) {
      int fits = Math.min(left, chunk.length - used);
      System.arraycopy(bytes, at, chunk, used, fits);
      used += fits;
      at += fits;
      left -= fits;
      if (used == chunk.length) {
        send();
      }
    }
    written += length;
  }

  private void send() throws IOException {
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
        SnapshotResponse.newBuilder()
            .setRemainingBytes(1) // how much is left is not known before the end
            .setBlob(UnsafeByteOperations.unsafeWrap(chunk, 0, used))
            .build());
    chunk = new byte[CHUNK_BYTES]; // the message has the other one
    used = 0;
  }

  void complete(ResponseHeader header) throws IOException {
    int over = (int) (written % PAGE_BYTES);
    if (over > 0) {
      write(new byte[PAGE_BYTES - over]);
    }
    byte[] sum = digest.digest();
    add(sum, 0, sum.length);
    send();
    caller.onNext(
        SnapshotResponse.newBuilder()
            .setHeader(header)
            .setVersion(MaintenanceService.API_VERSION)
            .build());
    caller.onCompleted();
  }

  void fail(StatusRuntimeException problem) {
    if (!caller.isCancelled()) {
      caller.onError(problem);
    }
  }
}
