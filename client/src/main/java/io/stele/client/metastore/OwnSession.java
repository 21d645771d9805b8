package io.stele.client.metastore;

import io.stele.client.call.Caller;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The client's own session, under which it numbers its changes: opened for the first one, and again
 * should it end.
 */
final class OwnSession {
  private final Caller caller;
  private final RandomGenerator random;
  private final Duration timeToLive;

  private volatile @Nullable Session current;
  private @Nullable CompletableFuture<Session> opening; // guarded by this
  private boolean closed; // guarded by this

  OwnSession(Caller caller, RandomGenerator random, Duration timeToLive) {
    this.caller = caller;
    this.random = random;
    this.timeToLive = timeToLive;
  }

  /** Sends it under the session as soon as there is one. */
  void send(SequencedWrite<?, ?> write) {
    Session session = current;
    if (session != null && session.isAlive()) {
      write.send(session);
      return;
    }
    var _ =
        open()
            .whenComplete(
                (opened, thrown) -> {
                  if (thrown == null) {
                    write.send(opened);
                  } else {
                    write.completeExceptionally(Await.problem(thrown));
                  }
                });
  }

  /** The session, for what must end with the client. */
  CompletableFuture<Session> get() {
    Session session = current;
    return session != null && session.isAlive()
        ? CompletableFuture.completedFuture(session)
        : open();
  }

  private synchronized CompletableFuture<Session> open() {
    Session session = current;
    if (session != null && session.isAlive()) {
      return CompletableFuture.completedFuture(session);
    }
    if (opening != null) {
      return opening;
    }
    CompletableFuture<Session> asked = Session.open(caller, random, timeToLive, "client");
    CompletableFuture<Session> shared = asked.whenComplete(this::opened);
    opening = asked.isDone() ? null : shared;
    return shared;
  }

  private void opened(@Nullable Session session, @Nullable Throwable thrown) {
    boolean unwanted;
    synchronized (this) {
      opening = null;
      current = session;
      unwanted = closed;
    }
    if (session != null && unwanted) {
      var _ = session.closeAsync();
    }
  }

  /** Ends it, as far as it was opened. */
  CompletableFuture<Void> close() {
    Session session;
    synchronized (this) {
      closed = true;
      session = current;
    }
    return session == null ? CompletableFuture.completedFuture(null) : session.closeAsync();
  }
}
