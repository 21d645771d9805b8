package io.stele.client.metastore;

import com.google.protobuf.ByteString;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotFoundException;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.ReleaseRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A lock that was granted. A program that was paused may believe to hold a lock that it has lost:
 * what must not happen then belongs in a transaction that demands the lock ({@link
 * Transaction#whenHeld}), or hands its {@link #token} to whoever can compare tokens.
 */
public final class HeldLock implements AutoCloseable {
  private final Session session;
  private final String key;
  private final boolean exclusive;
  private final long token;
  private final AtomicBoolean released = new AtomicBoolean();

  HeldLock(Session session, String key, boolean exclusive, long token) {
    this.session = session;
    this.key = key;
    this.exclusive = exclusive;
    this.token = token;
  }

  public String key() {
    return key;
  }

  public boolean isExclusive() {
    return exclusive;
  }

  /** Grows with every grant. */
  public long token() {
    return token;
  }

  public Session session() {
    return session;
  }

  /** Whether it is certainly held at this moment, by the session's clock. */
  public boolean isHeld() {
    return !released.get() && session.isAlive();
  }

  public void release() {
    Await.answer(releaseAsync());
  }

  /** Gives the lock back; further calls do nothing. */
  public CompletableFuture<Void> releaseAsync() {
    if (released.getAndSet(true)) {
      return CompletableFuture.completedFuture(null);
    }
    return session
        .write(
            MetastoreGrpc.getReleaseMethod(),
            origin ->
                ReleaseRequest.newBuilder()
                    .setOrigin(origin)
                    .setKey(ByteString.copyFromUtf8(key))
                    .build(),
            Repeat.ONCE,
            session.caller().settings().timeout())
        .thenAccept(response -> {});
  }

  /** As {@link #release}, and no error if the lock went with its session. */
  @Override
  public void close() {
    try {
      release();
    } catch (NotFoundException | FencedException gone) {
      // There is nothing left to give back.
    }
  }
}
