package io.stele.engine;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A thread that works whenever it is woken, and now and then without: what it waits for may come
 * about unseen.
 */
public final class Worker implements AutoCloseable {
  private final Duration look;
  private final Runnable work;
  private final Consumer<Throwable> died;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition woken = lock.newCondition();
  private boolean hasWork; // guarded by lock
  private volatile boolean closing;

  /**
   * Makes one that is not started.
   *
   * @param look how long it rests at most
   * @param work done again and again until this is closed
   * @param died takes what {@code work} throws, which ends the thread
   */
  public Worker(String name, Duration look, Runnable work, Consumer<Throwable> died) {
    this.look = look;
    this.work = work;
    this.died = died;
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::loop);
  }

  public void start() {
    thread.start();
  }

  /** Has it work now, or once more if it is at work. */
  public void wake() {
    lock.lock();
    try {
      hasWork = true;
      woken.signal();
    } finally {
      lock.unlock();
    }
  }

  public boolean isClosing() {
    return closing;
  }

  private void loop() {
    try {
      rest(look, true);
      while (!closing) {
        work.run();
        rest(look, true);
      }
    } catch (RuntimeException | Error e) {
      died.accept(e);
    }
  }

  /** By the thread itself: it rests, whoever wakes it, before it tries again what failed. */
  public void pause(Duration pause) {
    rest(pause, false);
    wake();
  }

  private void rest(Duration most, boolean untilWoken) {
    lock.lock();
    try {
      long left = most.toNanos();
      while (!closing && left > 0 && !(untilWoken && hasWork)) {
        left = woken.awaitNanos(left);
      }
      hasWork = false;
    } catch (InterruptedException e) {
      // Nobody interrupts this thread on purpose; then it works early.
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the thread has ended, which sees {@link #isClosing} while it is at work. */
  @Override
  public void close() {
    closing = true;
    wake();
    Threads.join(thread);
  }
}
