package io.stele.server;

import io.stele.base.error.SteleException;
import io.stele.base.event.Events;
import io.stele.tables.TabletServer;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a server that had them before it got company: where they are is in the metastore,
 * which this member can ask only while it leads. So they are served from the moment at which it
 * does; the metastore's own work does not wait for that.
 */
final class LateTables implements AutoCloseable {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Starts the role, or fails if that is not possible yet. */
  interface Start {
    TablesRole start() throws IOException;
  }

  private final Start start;
  private final Events events;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition closed = lock.newCondition();

  // Guarded by lock.
  private boolean closing;
  private @Nullable TablesRole role;

  LateTables(Start start, Events events) {
    this.start = start;
    this.events = events;
    this.thread = Thread.ofPlatform().daemon().name("stele-late-tables").start(this::run);
  }

  private void run() {
    boolean told = false;
    while (pauseUnlessClosing(told)) {
      try {
        TablesRole started = start.start();
        lock.lock();
        try {
          role = started;
        } finally {
          lock.unlock();
        }
        return;
      } catch (SteleException | IOException e) {
        if (!told) {
          events.publish(new ServerEvent.TablesWait(e));
        }
        told = true;
      }
    }
  }

  /** False once it is to end. */
  private boolean pauseUnlessClosing(boolean pause) {
    lock.lock();
    try {
      long left = pause ? PAUSE_NANOS : 0;
      while (left > 0 && !closing) {
        left = closed.awaitNanos(left);
      }
      return !closing;
    } catch (InterruptedException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  private Optional<TablesRole> started() {
    lock.lock();
    try {
      return Optional.ofNullable(role);
    } finally {
      lock.unlock();
    }
  }

  /** Once they are served. */
  Optional<TabletServer> tables() {
    return started().map(TablesRole::tables);
  }

  /** Why they are not served at the moment, if so. */
  Optional<String> problem() {
    Optional<TablesRole> started = started();
    return started.isPresent()
        ? started.get().problem()
        : Optional.of("tables are served as soon as this member leads");
  }

  @Override
  public void close() throws IOException, InterruptedException {
    lock.lock();
    try {
      closing = true;
      closed.signalAll();
    } finally {
      lock.unlock();
    }
    thread.join();
    Optional<TablesRole> started = started();
    if (started.isPresent()) {
      started.get().close();
    }
  }
}
