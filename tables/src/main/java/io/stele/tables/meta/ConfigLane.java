package io.stele.tables.meta;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.time.Clock;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.MetaTable.Change;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The changes of one META table on their way, see {@link ConfigWriter}. */
final class ConfigLane {
  static final Duration FIRST_DELAY = Duration.ofMillis(50);
  static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

  /** So that a batch stays far below the limits of a commit. */
  static final int MOST_TOGETHER = 1_000;

  /** A change that waits, or is being made. */
  private abstract static sealed class Waiting {
    final CompletableFuture<Long> done = new CompletableFuture<>();
  }

  private static final class Save extends Waiting {
    final TabletKey tablet;
    Supplier<Optional<TabletConfig>> config; // guarded by the lane's lock while it waits

    Save(TabletKey tablet, Supplier<Optional<TabletConfig>> config) {
      this.tablet = tablet;
      this.config = config;
    }
  }

  private static final class Replace extends Waiting {
    final Supplier<Change> change;
    final ConfigGuard guard;
    final Runnable whenDurable;

    Replace(Supplier<Change> change, ConfigGuard guard, Runnable whenDurable) {
      this.change = change;
      this.guard = guard;
      this.whenDurable = whenDurable;
    }
  }

  private final MetaLevel level;
  private final MetaTable meta;
  private final ConfigGuard saves;
  private final Clock clock;
  private final Consumer<TableEvent> events;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final Deque<Waiting> queue = new ArrayDeque<>();

  // Those in the queue that later saves may join: behind the last change of several tablets, or
  // that change could be made after the save and not know of what it saved.
  @GuardedBy("lock")
  private final Map<TabletKey, Save> waitingSaves = new HashMap<>();

  @GuardedBy("lock")
  private final Set<Waiting> underWay = new HashSet<>();

  @GuardedBy("lock")
  private int failures; // in a row

  @GuardedBy("lock")
  private long notBefore; // of the clock's nanos, after a failure

  @GuardedBy("lock")
  private boolean closed;

  /**
   * One without changes.
   *
   * @param saves of tablets that this server has
   */
  ConfigLane(
      MetaLevel level,
      MetaTable meta,
      ConfigGuard saves,
      Clock clock,
      Consumer<TableEvent> events) {
    this.level = level;
    this.meta = meta;
    this.saves = saves;
    this.clock = clock;
    this.events = events;
  }

  CompletableFuture<Long> save(TabletKey tablet, Supplier<Optional<TabletConfig>> config) {
    lock.lock();
    try {
      Save waiting = waitingSaves.get(tablet);
      if (waiting != null) {
        waiting.config = config;
        return waiting.done.copy();
      }
      Save save = new Save(tablet, config);
      if (!closed) {
        waitingSaves.put(tablet, save);
      }
      return add(save);
    } finally {
      lock.unlock();
    }
  }

  CompletableFuture<Long> replace(
      Supplier<Change> change, ConfigGuard guard, Runnable whenDurable) {
    lock.lock();
    try {
      waitingSaves.clear();
      return add(new Replace(change, guard, whenDurable));
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private CompletableFuture<Long> add(Waiting waiting) {
    if (closed) {
      waiting.done.completeExceptionally(closedFailure());
    } else {
      queue.addLast(waiting);
      changed.signalAll();
    }
    return waiting.done.copy();
  }

  CompletableFuture<Void> drain() {
    lock.lock();
    try {
      List<Waiting> all = new ArrayList<>(queue);
      all.addAll(underWay);
      return CompletableFuture.allOf(
          all.stream()
              .map(each -> each.done.handle((txn, failure) -> failure == null))
              .toArray(CompletableFuture<?>[]::new));
    } finally {
      lock.unlock();
    }
  }

  void close() {
    List<Waiting> rest;
    lock.lock();
    try {
      closed = true;
      rest = List.copyOf(queue);
      queue.clear();
      waitingSaves.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    rest.forEach(each -> each.done.completeExceptionally(closedFailure()));
  }

  private UnavailableException closedFailure() {
    return new UnavailableException(
        "configurations in " + level + " are no longer saved here: the server stops");
  }

  /** Makes changes as they come, until it is closed. */
  void run() {
    try {
      while (awaitDue()) {
        runOnce();
      }
    } catch (RuntimeException | Error e) {
      events.accept(new TableEvent.WorkerDied("configurations in " + level, e));
      close(); // nobody must wait for it
    }
  }

  private boolean awaitDue() {
    lock.lock();
    try {
      while (!closed) {
        long left = notBefore - clock.nanos();
        if (queue.isEmpty()) {
          changed.awaitUninterruptibly();
        } else if (failures == 0 || left <= 0) {
          return true;
        } else {
          long _ = changed.awaitNanos(left);
        }
      }
      return false;
    } catch (InterruptedException e) {
      return true; // nobody does that on purpose: then the next try comes early
    } finally {
      lock.unlock();
    }
  }

  /** Makes the next batch of changes, if one is due. */
  boolean runOnce() {
    List<Waiting> batch = take();
    if (batch.isEmpty()) {
      return false;
    }
    if (batch.getFirst() instanceof Replace replace) {
      replace(replace);
    } else {
      save(batch.stream().map(Save.class::cast).toList());
    }
    return true;
  }

  private List<Waiting> take() {
    lock.lock();
    try {
      List<Waiting> batch = new ArrayList<>();
      if (failures > 0 && clock.nanos() < notBefore) {
        return batch;
      }
      while (!queue.isEmpty() && batch.size() < MOST_TOGETHER) {
        boolean alone = queue.getFirst() instanceof Replace;
        if (alone && !batch.isEmpty()) {
          break;
        }
        Waiting next = queue.removeFirst();
        if (next instanceof Save save) {
          waitingSaves.remove(save.tablet, save);
        }
        batch.add(next);
        underWay.add(next);
        if (alone) {
          break;
        }
      }
      return batch;
    } finally {
      lock.unlock();
    }
  }

  private void replace(Replace replace) {
    try {
      long txn = attempt(replace.change, replace.guard);
      replace.whenDurable.run();
      succeeded(List.of(replace), txn);
    } catch (RuntimeException e) {
      failed(replace, e);
    }
  }

  private void save(List<Save> waiting) {
    try {
      succeeded(waiting, attempt(() -> new Change(configs(waiting), List.of()), saves));
    } catch (RuntimeException e) {
      if (mayPass(e)) {
        again(waiting, e);
      } else if (waiting.size() > 1) {
        waiting.forEach(each -> save(List.of(each))); // the others need not fail with the one
      } else {
        failed(waiting.getFirst(), e);
      }
    }
  }

  private static List<TabletConfig> configs(List<Save> saves) {
    List<TabletConfig> configs = new ArrayList<>();
    saves.forEach(each -> each.config.get().ifPresent(configs::add));
    return configs;
  }

  private long attempt(Supplier<Change> supplier, ConfigGuard guard) {
    Change change = supplier.get();
    return change.isNone() ? 0 : meta.apply(level, change, guard);
  }

  /** Whole rows are written, so one of which the outcome is not known can be written again. */
  private static boolean mayPass(RuntimeException failure) {
    return failure instanceof OutcomeUnknownException
        || (failure instanceof SteleException known && known.retryable());
  }

  private void succeeded(List<? extends Waiting> made, long txn) {
    lock.lock();
    try {
      failures = 0;
      made.forEach(underWay::remove);
    } finally {
      lock.unlock();
    }
    made.forEach(each -> each.done.complete(txn));
  }

  private void failed(Waiting waiting, RuntimeException failure) {
    lock.lock();
    try {
      underWay.remove(waiting);
    } finally {
      lock.unlock();
    }
    waiting.done.completeExceptionally(failure);
  }

  private void again(List<Save> saves, RuntimeException failure) {
    events.accept(
        new TableEvent.BackgroundFailed(
            "saving " + saves.size() + " tablet configurations in " + level, failure));
    List<Save> tooLate = new ArrayList<>();
    lock.lock();
    try {
      failures++;
      notBefore = clock.nanos() + delay(failures).toNanos();
      for (Save save : saves.reversed()) {
        underWay.remove(save);
        Save newer = waitingSaves.get(save.tablet);
        if (closed) {
          tooLate.add(save);
        } else if (newer != null) {
          follow(save, newer);
        } else {
          if (queue.stream().noneMatch(Replace.class::isInstance)) {
            waitingSaves.put(save.tablet, save);
          }
          queue.addFirst(save);
        }
      }
    } finally {
      lock.unlock();
    }
    tooLate.forEach(each -> each.done.completeExceptionally(closedFailure()));
  }

  /** What the newer one saves takes in what the older one would have. */
  private static void follow(Save older, Save newer) {
    var _ =
        newer.done.whenComplete(
            (txn, failure) -> {
              if (failure == null) {
                older.done.complete(txn);
              } else {
                older.done.completeExceptionally(failure);
              }
            });
  }

  static Duration delay(int failures) {
    Duration delay = FIRST_DELAY.multipliedBy(1L << Math.min(failures - 1, 20));
    return delay.compareTo(LONGEST_DELAY) < 0 ? delay : LONGEST_DELAY;
  }
}
