package io.stele.metastore.watch;

import io.stele.base.error.SteleException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * One watch. Its sink is called by the fan-out thread while it is live, and by one of the catch-up
 * threads while it is not; the hub's lock hands it over.
 */
final class Watcher implements Watch {
  static final long NO_PROGRESS = -1;

  private final WatchHub hub;
  private final WatchRequest request;
  private final WatchSink sink;
  private final Supplier<Optional<SteleException>> objection;
  private final AtomicInteger turns = new AtomicInteger(); // asked for; see WatchHub.schedule
  private volatile boolean closed;
  private volatile boolean checkAgain;
  private final AtomicLong progressFor = new AtomicLong(NO_PROGRESS);

  // Of whoever may call the sink:
  private boolean live; // changed under the hub's lock only
  private long next; // the first revision not told yet; of a live one a lower bound
  private long covered; // all up to here was looked at while catching up

  Watcher(
      WatchHub hub,
      WatchRequest request,
      WatchSink sink,
      Supplier<Optional<SteleException>> objection,
      long from) {
    this.hub = hub;
    this.request = request;
    this.sink = sink;
    this.objection = objection;
    this.next = from;
  }

  WatchRequest request() {
    return request;
  }

  WatchSink sink() {
    return sink;
  }

  boolean isLive() {
    return live;
  }

  void setLive(boolean value) {
    live = value;
  }

  long next() {
    return next;
  }

  void setNext(long revision) {
    next = revision;
  }

  long covered() {
    return covered;
  }

  void setCovered(long revision) {
    covered = revision;
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns false if it was closed before. */
  boolean markClosed() {
    boolean first = !closed;
    closed = true;
    return first;
  }

  AtomicInteger turns() {
    return turns;
  }

  void checkAgain() {
    checkAgain = true;
  }

  /** Why it must end, if whoever watches may do so no longer. */
  Optional<SteleException> objection() {
    if (!checkAgain) {
      return Optional.empty();
    }
    checkAgain = false;
    return objection.get();
  }

  /** The revision that must be reached before progress may be told. */
  long progressFor() {
    return progressFor.get();
  }

  /** The wish is granted, unless a newer one has come: that one is granted next. */
  void progressTold(long wished) {
    progressFor.compareAndSet(wished, NO_PROGRESS);
  }

  @Override
  public void resume() {
    hub.wake(this);
  }

  @Override
  public void requestProgress() {
    // A client that asks for changes from 229 on has seen 228, perhaps at a member that is ahead.
    progressFor.set(Math.max(hub.applied(), request.from() - 1));
    hub.wake(this);
  }

  @Override
  public void close() {
    hub.remove(this);
  }
}
