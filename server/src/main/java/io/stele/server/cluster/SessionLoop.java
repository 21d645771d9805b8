package io.stele.server.cluster;

import io.stele.base.error.SteleException;
import io.stele.base.event.Events;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Session;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Does work that lasts as long as a session, and begins it anew under another one when that is
 * lost, until it is closed. One thread does it all:
 *
 * <pre>
 *   open a session ──► begin ──► wait ──┬─ session lost ──► abandon ──► open a session
 *         ▲               │             └─ closed ────────► end ──► close the session
 *         └─ a pause ◄────┘ failed
 * </pre>
 */
public final class SessionLoop implements AutoCloseable {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** What is done. */
  public interface Work {
    /**
     * Begins; may take long, and is interrupted when it is no longer wanted.
     *
     * @param alarm to be called if the work cannot go on though its session lives
     */
    Tenure begin(Session session, Runnable alarm) throws IOException, InterruptedException;

    /** What becomes of it when the session is lost, for people. */
    default String whenLost() {
      return "it gives up all it had, and begins anew";
    }
  }

  /** Work that was begun. */
  public interface Tenure {
    /** The right to it is lost: nothing of it must reach anybody any more. */
    void abandon();

    /** Ends it in order; the session still lives. */
    void end() throws IOException;
  }

  private final String what;
  private final MetastoreClient metastore;
  private final Duration timeToLive;
  private final Work work;
  private final Events events;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by lock.
  private boolean closing;
  private long tenure; // the number of the one at hand
  private boolean over; // it must end
  private boolean beginning;

  /**
   * Nothing is done before {@link #start}.
   *
   * @param what does it, for people
   */
  public SessionLoop(
      String what, MetastoreClient metastore, Duration timeToLive, Work work, Events events) {
    this.what = what;
    this.metastore = metastore;
    this.timeToLive = timeToLive;
    this.work = work;
    this.events = events;
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("stele-" + what.substring(0, what.indexOf(' ')))
            .unstarted(this::run);
  }

  public SessionLoop start() {
    thread.start();
    return this;
  }

  private void run() {
    boolean told = false;
    while (!isClosing()) {
      try {
        serve();
        told = false;
      } catch (SteleException | IOException e) {
        if (!isClosing() && !told) {
          events.publish(new ClusterEvent.NotTakingPart(what, e));
          told = true;
        }
        pause();
      } catch (InterruptedException e) {
        // Only a close interrupts.
      }
    }
  }

  private void serve() throws IOException, InterruptedException {
    long number = begins();
    Session session = metastore.openSession(timeToLive, what);
    try {
      Runnable end = () -> endTenure(number);
      session.onExpiry(end);
      Tenure begun = work.begin(session, end);
      hasBegun();
      awaitEnd();
      if (isClosing() && session.isAlive()) {
        begun.end();
        events.publish(new ClusterEvent.Left(what));
      } else {
        boolean lost = !session.isAlive();
        begun.abandon();
        if (lost) {
          events.publish(new ClusterEvent.SessionLost(what, work.whenLost()));
        }
      }
    } finally {
      hasBegun();
      leave(session);
    }
  }

  /** A session that cannot be closed ends by itself. */
  private static void leave(Session session) {
    try {
      session.close();
    } catch (SteleException e) {
      // After its time to live.
    }
  }

  private long begins() throws InterruptedException {
    lock.lock();
    try {
      if (closing) {
        throw new InterruptedException("closed");
      }
      over = false;
      beginning = true;
      return ++tenure;
    } finally {
      lock.unlock();
    }
  }

  private void hasBegun() {
    lock.lock();
    try {
      beginning = false;
      boolean _ = Thread.interrupted(); // meant for the beginning alone
    } finally {
      lock.unlock();
    }
  }

  private void awaitEnd() {
    lock.lock();
    try {
      while (!over && !closing) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Of an earlier one it is too late to say anything. */
  private void endTenure(long number) {
    lock.lock();
    try {
      if (number == tenure) {
        over = true;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosing() {
    lock.lock();
    try {
      return closing;
    } finally {
      lock.unlock();
    }
  }

  private void pause() {
    lock.lock();
    try {
      long left = PAUSE_NANOS;
      while (left > 0 && !closing) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      // Only a close interrupts.
    } finally {
      lock.unlock();
    }
  }

  /** Begins nothing more; work that has begun goes on until it is closed. */
  void closeUnlessBegun() {
    lock.lock();
    try {
      if (beginning) {
        closing = true;
        thread.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the work in order, and waits until it has ended. */
  @Override
  public void close() throws InterruptedException {
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
      if (beginning) {
        thread.interrupt();
      }
    } finally {
      lock.unlock();
    }
    thread.join();
  }
}
