package io.stele.client.metastore;

import com.google.protobuf.ByteString;
import io.grpc.MethodDescriptor;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.client.call.Caller;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.CloseSessionRequest;
import io.stele.protocol.v1.KeepAliveRequest;
import io.stele.protocol.v1.KeepAliveResponse;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.OpenSessionRequest;
import io.stele.protocol.v1.OpenSessionResponse;
import io.stele.protocol.v1.Origin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A session: keys put with it, and its locks, end with it. It is kept alive in the background until
 * it is closed.
 *
 * <p>It knows by its own clock until when it is certainly alive: its time to live after the last
 * renewal that was answered was <em>sent</em>. If that moment passes the session has expired here,
 * for ever, whatever the server may think: {@link #isAlive} is false and those who asked are told.
 *
 * <pre>{@code
 * try (Session session = metastore.openSession(Duration.ofSeconds(10))) {
 *   session.put("/services/search/host-1", "10.0.0.1:80"); // gone when the session is
 *   try (HeldLock lock = session.lock("/jobs/nightly").acquire(Duration.ofSeconds(30))) {
 *     metastore.transaction().whenHeld(lock).then(Step.put("/jobs/last", "today")).commit();
 *   }
 * }
 * }</pre>
 */
public final class Session implements AutoCloseable {
  private static final int RENEWALS_PER_LIFE = 3;
  private static final int REQUEST_ID_BYTES = 16;
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

  private enum State {
    ALIVE,
    EXPIRED,
    CLOSED
  }

  private final Caller caller;
  private final long id;
  private final Duration timeToLive;
  private final Sequences sequences = new Sequences();

  private volatile long aliveUntil; // by the monotonic clock; moves forward
  private volatile State state = State.ALIVE; // written under this
  private final List<Runnable> expiryListeners = new ArrayList<>(); // guarded by this

  private Session(Caller caller, long id, Duration timeToLive, long aliveUntil) {
    this.caller = caller;
    this.id = id;
    this.timeToLive = timeToLive;
    this.aliveUntil = aliveUntil;
  }

  static CompletableFuture<Session> open(
      Caller caller, RandomGenerator random, Duration timeToLive, String label) {
    if (timeToLive.toMillis() < 1) {
      throw new InvalidRequestException(
          "time to live of a session of " + timeToLive + ": must be at least a millisecond");
    }
    byte[] requestId = new byte[REQUEST_ID_BYTES];
    synchronized (random) {
      random.nextBytes(requestId);
    }
    OpenSessionRequest request =
        OpenSessionRequest.newBuilder()
            .setTtlMillis(timeToLive.toMillis())
            .setLabel(label)
            .setRequestId(ByteString.copyFrom(requestId))
            .build();
    long sent = caller.clock().nanos();
    return caller
        .call(MetastoreGrpc.getOpenSessionMethod(), request, Repeat.ONCE)
        .exceptionally(Session::notOpened)
        .thenApply(
            response -> {
              Duration granted = Duration.ofMillis(response.getTtlMillis());
              Session session =
                  new Session(caller, response.getSession(), granted, sent + granted.toNanos());
              session.renewLater();
              session.watchExpiry();
              return session;
            });
  }

  /** One that was opened without our knowledge ends by itself: nobody has to look for it. */
  private static OpenSessionResponse notOpened(Throwable thrown) {
    SteleException problem = Await.problem(thrown);
    throw problem instanceof OutcomeUnknownException
        ? new UnavailableException("session not opened: " + problem.getMessage(), problem)
        : problem;
  }

  /** Unique for ever. */
  public long id() {
    return id;
  }

  public Duration timeToLive() {
    return timeToLive;
  }

  /** Whether it is certainly alive at this moment. Once false, it stays so. */
  public boolean isAlive() {
    if (state == State.ALIVE && caller.clock().nanos() - aliveUntil >= 0) {
      end(State.EXPIRED);
    }
    return state == State.ALIVE;
  }

  /** How long it is certainly alive yet, if nothing more is heard from the server. */
  public Duration remaining() {
    return isAlive()
        ? Duration.ofNanos(Math.max(0, aliveUntil - caller.clock().nanos()))
        : Duration.ZERO;
  }

  /** Calls the listener, from a thread of its own, when the session expires; at once if it has. */
  public void onExpiry(Runnable listener) {
    synchronized (this) {
      if (state != State.EXPIRED) {
        expiryListeners.add(listener);
        return;
      }
    }
    Thread.startVirtualThread(listener);
  }

  /** Puts a key that is deleted when the session ends. */
  public PutResult put(String key, Bytes value) {
    return Await.answer(putAsync(key, value));
  }

  public PutResult put(String key, String value) {
    return put(key, Bytes.utf8(value));
  }

  public CompletableFuture<PutResult> putAsync(String key, Bytes value) {
    return Writes.put(this::writeUnderThis, key, value, id, false);
  }

  /** A transaction in one request, numbered under this session. */
  public Transaction transaction() {
    return new Transaction(asked -> Writes.transact(this::writeUnderThis, asked));
  }

  /** Begins to ask for a lock. */
  public LockRequest lock(String key) {
    return new LockRequest(this, key, true, LockRequest.DEFAULT_DELAY);
  }

  /** An election of which the candidates are sessions. */
  public Election election(String key) {
    return new Election(this, key);
  }

  /** Ends the session: its keys and locks are gone at once. */
  @Override
  public void close() {
    if (state == State.ALIVE) {
      Await.answer(closeAsync());
    }
  }

  public CompletableFuture<Void> closeAsync() {
    end(State.CLOSED);
    return caller
        .call(
            MetastoreGrpc.getCloseSessionMethod(),
            CloseSessionRequest.newBuilder().setSession(id).build(),
            Repeat.ONCE, // closing it twice is as good as once
            CLOSE_PATIENCE)
        .handle(
            (response, thrown) -> {
              if (thrown == null || Await.problem(thrown) instanceof NotFoundException) {
                return null;
              }
              throw Await.problem(thrown);
            });
  }

  // ---- for the rest of the client

  Caller caller() {
    return caller;
  }

  Sequences sequences() {
    return sequences;
  }

  <Q, R> SequencedWrite<Q, R> write(
      MethodDescriptor<Q, R> method,
      Function<Origin, Q> toRequest,
      Repeat repeat,
      Duration timeout) {
    SequencedWrite<Q, R> write =
        new SequencedWrite<>(caller, method, toRequest, repeat, timeout, null);
    if (isAlive()) {
      write.send(this);
    } else {
      write.completeExceptionally(
          new NotFoundException(
              "session "
                  + id
                  + " has "
                  + (state == State.CLOSED ? "been closed" : "expired")
                  + ": open another one"));
    }
    return write;
  }

  private <Q, R> CompletableFuture<R> writeUnderThis(
      MethodDescriptor<Q, R> method, Function<Origin, Q> toRequest) {
    return write(method, toRequest, Repeat.ONCE, caller.settings().timeout());
  }

  /** Asks the server whether the session is gone. */
  CompletableFuture<Boolean> hasEnded() {
    if (state != State.ALIVE) {
      return CompletableFuture.completedFuture(true);
    }
    return renew()
        .handle(
            (response, thrown) -> {
              if (thrown == null) {
                return false;
              }
              SteleException problem = Await.problem(thrown);
              if (problem instanceof NotFoundException) {
                return true;
              }
              throw problem;
            });
  }

  /** Done once what it was answered has been taken in. */
  private CompletableFuture<KeepAliveResponse> renew() {
    long sent = caller.clock().nanos();
    return caller
        .call(
            MetastoreGrpc.getKeepAliveMethod(),
            KeepAliveRequest.newBuilder().setSession(id).build(),
            Repeat.READ,
            timeToLive)
        .whenComplete((response, thrown) -> renewed(sent, response, thrown));
  }

  private void renewed(
      long sent, @Nullable KeepAliveResponse response, @Nullable Throwable thrown) {
    if (response != null) {
      long until = sent + Duration.ofMillis(response.getTtlMillis()).toNanos();
      synchronized (this) {
        // Not if it has expired by our own clock meanwhile: that was final.
        if (isAlive() && until - aliveUntil > 0) {
          aliveUntil = until;
        }
      }
    } else if (thrown != null && Await.problem(thrown) instanceof NotFoundException) {
      end(State.EXPIRED);
    }
  }

  private void renewLater() {
    schedule(
        () -> {
          if (isAlive()) {
            var _ = renew().whenComplete((response, thrown) -> renewLater());
          }
        },
        // Sooner if little is left of it, as when the answer that opened it was long on its way.
        Math.max(
            TimeUnit.MILLISECONDS.toNanos(1),
            Math.min(timeToLive.toNanos() / RENEWALS_PER_LIFE, remaining().toNanos() / 2)));
  }

  private void watchExpiry() {
    schedule(
        () -> {
          if (isAlive()) {
            watchExpiry();
          }
        },
        Math.max(TimeUnit.MILLISECONDS.toNanos(1), remaining().toNanos()));
  }

  private void schedule(Runnable task, long nanos) {
    try {
      var _ = caller.timer().schedule(task, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      end(State.CLOSED); // the client is
    }
  }

  private void end(State how) {
    List<Runnable> listeners;
    synchronized (this) {
      if (state != State.ALIVE) {
        return;
      }
      state = how;
      listeners = how == State.EXPIRED ? List.copyOf(expiryListeners) : List.of();
      expiryListeners.clear();
    }
    listeners.forEach(Thread::startVirtualThread);
  }
}
