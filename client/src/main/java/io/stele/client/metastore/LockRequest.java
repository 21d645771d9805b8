package io.stele.client.metastore;

import com.google.protobuf.ByteString;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.AcquireRequest;
import io.stele.protocol.v1.AcquireResponse;
import io.stele.protocol.v1.MetastoreGrpc;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A wish for a lock: exclusive unless {@link #shared} is said.
 *
 * <pre>{@code
 * try (HeldLock lock = session.lock("/jobs/nightly").acquire(Duration.ofSeconds(30))) { ... }
 * }</pre>
 */
public final class LockRequest {
  static final Duration DEFAULT_DELAY = Duration.ofSeconds(1);

  private static final long SHORTEST_WAIT_MILLIS = 1;

  private final Session session;
  private final String key;
  private final boolean exclusive;
  private final Duration delay;

  LockRequest(Session session, String key, boolean exclusive, Duration delay) {
    if (delay.isNegative()) {
      throw new InvalidRequestException(
          "delay of " + delay + " of lock " + key + ": must not be negative");
    }
    this.session = session;
    this.key = key;
    this.exclusive = exclusive;
    this.delay = delay;
  }

  /** Nobody else may hold it. */
  public LockRequest exclusive() {
    return new LockRequest(session, key, true, delay);
  }

  /** Others may hold it shared too. */
  public LockRequest shared() {
    return new LockRequest(session, key, false, delay);
  }

  /** How long it stays closed to others if the session expires while it is held. */
  public LockRequest delay(Duration newDelay) {
    return new LockRequest(session, key, exclusive, newDelay);
  }

  /** Waits in line for it; fails with {@link ConflictException} if the time does not suffice. */
  public HeldLock acquire(Duration wait) {
    return Await.answer(acquireAsync(wait));
  }

  /** The lock if it is free. */
  public Optional<HeldLock> tryAcquire() {
    try {
      return Optional.of(acquire(Duration.ZERO));
    } catch (ConflictException held) {
      return Optional.empty();
    }
  }

  /** As {@link #acquire}; cancelling it gives up the place in line. */
  public CompletableFuture<HeldLock> acquireAsync(Duration wait) {
    if (wait.isNegative()) {
      throw new InvalidRequestException(
          "wait of " + wait + " for lock " + key + ": must not be negative");
    }
    Wish wish = new Wish(session.caller().clock().nanos() + wait.toNanos());
    wish.ask(wait.toMillis());
    return wish;
  }

  private final class Wish extends CompletableFuture<HeldLock> {
    private final long deadline;
    private volatile CompletableFuture<AcquireResponse> underWay = new CompletableFuture<>();

    Wish(long deadline) {
      this.deadline = deadline;
    }

    void ask(long waitMillis) {
      AcquireRequest.Builder request =
          AcquireRequest.newBuilder()
              .setKey(ByteString.copyFromUtf8(key))
              .setExclusive(exclusive)
              .setWaitMillis(waitMillis)
              .setDelayMillis(delay.toMillis());
      SequencedWrite<AcquireRequest, AcquireResponse> call =
          session.write(
              MetastoreGrpc.getAcquireMethod(),
              origin -> request.setOrigin(origin).build(),
              Repeat.ONCE_IN_TURN,
              session.caller().settings().timeout().plusMillis(waitMillis));
      underWay = call;
      if (isCancelled()) {
        call.cancel(false);
      }
      var _ =
          call.whenComplete(
              (response, thrown) -> {
                if (thrown == null) {
                  complete(new HeldLock(session, key, exclusive, response.getToken()));
                } else {
                  failed(Await.problem(thrown), call.repeated());
                }
              });
    }

    /**
     * A request that lost its connection was sent again and took the same place in line; but the
     * server may notice only then that the first connection is gone, and end the wait. So a refusal
     * that comes too early leads to another request.
     */
    private void failed(SteleException problem, boolean repeated) {
      long left = (deadline - session.caller().clock().nanos()) / 1_000_000;
      if (problem instanceof ConflictException
          && repeated
          && left >= SHORTEST_WAIT_MILLIS
          && !isDone()) {
        ask(left);
      } else {
        completeExceptionally(problem);
      }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean cancelled = super.cancel(mayInterruptIfRunning);
      if (cancelled) {
        underWay.cancel(mayInterruptIfRunning);
      }
      return cancelled;
    }
  }
}
