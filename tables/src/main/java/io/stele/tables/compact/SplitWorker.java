package io.stele.tables.compact;

import io.stele.tables.event.TableEvent;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Has tables checked for tablets to be split or joined, on a thread of its own: those that changed,
 * and all of them now and then.
 */
public final class SplitWorker implements AutoCloseable {
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final ServerParts server;
  private final Splitter splitter;
  private final Supplier<? extends Collection<Table>> tables;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition woken = lock.newCondition();
  private final Set<Table> changed = new LinkedHashSet<>(); // guarded by lock
  private volatile boolean closing;

  public SplitWorker(
      ServerParts server, Splitter splitter, Supplier<? extends Collection<Table>> tables) {
    this.server = server;
    this.splitter = splitter;
    this.tables = tables;
    this.thread = Thread.ofPlatform().name("stele-split").daemon().unstarted(this::loop);
  }

  public void start() {
    thread.start();
  }

  /** Files, tablets or the schema of a table changed. */
  public void wake(Table table) {
    lock.lock();
    try {
      changed.add(table);
      woken.signal();
    } finally {
      lock.unlock();
    }
  }

  private void loop() {
    for (List<Table> next = awaitWork(); !closing; next = awaitWork()) {
      for (Table table : next) {
        try {
          if (!closing) {
            splitter.check(table);
          }
        } catch (RuntimeException e) {
          server.report(
              new TableEvent.BackgroundFailed(
                  "check of the tablets' sizes of table " + table.name(), e));
        }
      }
    }
  }

  private List<Table> awaitWork() {
    lock.lock();
    try {
      long left = LOOK_NANOS;
      while (changed.isEmpty() && !closing && left > 0) {
        left = woken.awaitNanos(left);
      }
      List<Table> next = new ArrayList<>(changed.isEmpty() ? tables.get() : changed);
      changed.clear();
      return next;
    } catch (InterruptedException e) {
      return List.of(); // nobody interrupts this thread on purpose
    } finally {
      lock.unlock();
    }
  }

  /** Stops, when a change under way is over. */
  @Override
  public void close() {
    closing = true;
    lock.lock();
    try {
      woken.signal();
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
