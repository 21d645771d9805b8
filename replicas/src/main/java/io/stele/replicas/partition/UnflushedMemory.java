package io.stele.replicas.partition;

import io.stele.base.error.ExhaustedException;
import io.stele.base.error.SteleException;
import io.stele.engine.StoreEvent;
import io.stele.engine.StoreSettings;
import io.stele.engine.memory.MemoryBudget;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The budget of memory for the changes of all replicas of a server that are not in files yet:
 *
 * <pre>
 *   0 ……………… a quarter ……………………… half ………………………………………………… the budget
 *               of one replica:       the replica that has       writers wait, then fail
 *               it is flushed         the most is flushed        with Exhausted
 * </pre>
 *
 * One thread of its own decides what is flushed; each store writes its files on its own thread.
 */
public final class UnflushedMemory implements AutoCloseable {
  private static final int BUSY_PART = 2;
  private static final int REPLICA_PART = 4;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final long limit;
  private final MemoryBudget budget;
  private final Consumer<StoreEvent> events;
  private final Set<EnginePartition> open = ConcurrentHashMap.newKeySet();
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition woken = lock.newCondition();
  private volatile boolean hasWork; // written under the lock
  private volatile boolean closing;
  private volatile Supplier<Optional<ReplicaName>> awaited = Optional::empty;
  private volatile @Nullable SteleException lastFailure; // of a flush, unless one succeeded since

  /**
   * An empty budget.
   *
   * @param limit in bytes
   * @param patience how long a writer waits at the limit
   * @param events told if the thread dies; failures of flushes are told by the stores
   */
  public UnflushedMemory(long limit, Duration patience, Consumer<StoreEvent> events) {
    this.limit = limit;
    this.budget = new MemoryBudget(limit, patience.toNanos());
    this.events = events;
    this.thread = Thread.ofPlatform().name("stele-replica-flush").daemon().unstarted(this::run);
  }

  /** The memory in use, its limit, and how writers waited for room. */
  public MemoryBudget budget() {
    return budget;
  }

  public void start() {
    thread.start();
  }

  /**
   * Also flushes replicas for which something else waits.
   *
   * @param awaiting the replica to be flushed next; asked now and then
   */
  void flushesFor(Supplier<Optional<ReplicaName>> awaiting) {
    awaited = awaiting;
  }

  /** The settings of a store that leaves its memory to this budget. */
  StoreSettings within(StoreSettings settings) {
    return settings.withMemory(Math.max(1, limit / REPLICA_PART), Long.MAX_VALUE);
  }

  /** Bytes that are in memory now. */
  public long used() {
    return budget.used();
  }

  void opened(EnginePartition replica) {
    open.add(replica);
  }

  void closed(EnginePartition replica) {
    open.remove(replica);
  }

  /** A store takes so many bytes more, or less. */
  void changed(long bytes) {
    budget.add(bytes);
  }

  /**
   * Makes a change as soon as there is room for it.
   *
   * @throws ExhaustedException if there is none for too long; nothing has changed
   */
  long admitting(long bytes, LongSupplier change) {
    if (budget.used() + bytes > limit / BUSY_PART) {
      wake();
    }
    try {
      budget.admit(bytes);
    } catch (ExhaustedException e) {
      SteleException cause = lastFailure;
      throw cause == null
          ? e
          : new ExhaustedException(e.getMessage() + "; flushes fail: " + cause.getMessage(), cause);
    }
    try {
      return change.getAsLong();
    } finally {
      budget.arrived(bytes);
    }
  }

  private void wake() {
    if (hasWork) {
      return;
    }
    lock.lock();
    try {
      hasWork = true;
      woken.signal();
    } finally {
      lock.unlock();
    }
  }

  // ---- the thread

  private void run() {
    while (awaitWork()) {
      try {
        if (!flushUntilNotBusy()) {
          pause();
        }
      } catch (RuntimeException e) { // one that got away would leave memory full for good
        events.accept(new StoreEvent.BackgroundFailed("flush of replicas", e));
        pause();
      } catch (Error e) {
        events.accept(new StoreEvent.WorkerDied("flushes of replicas", e));
        return;
      }
    }
  }

  /** Flushes the largest, one after the other; false if one of them failed. */
  private boolean flushUntilNotBusy() {
    Set<EnginePartition> failed = new HashSet<>();
    Optional<EnginePartition> next = next(failed);
    while (next.isPresent() && !closing) {
      try {
        next.get().flush();
        lastFailure = null;
      } catch (SteleException e) { // others may be flushed all the same
        if (open.contains(next.get())) {
          lastFailure = e;
        }
        failed.add(next.get());
      }
      next = next(failed);
    }
    return failed.isEmpty();
  }

  /** What is to be flushed now, if anything is. */
  private Optional<EnginePartition> next(Set<EnginePartition> except) {
    if (budget.used() <= limit / BUSY_PART && !budget.isAwaited()) {
      Optional<String> wanted = awaited.get().map(ReplicaName::toString);
      return open.stream()
          .filter(each -> wanted.equals(Optional.of(each.name())) && mayFlush(each, except))
          .findFirst();
    }
    return open.stream()
        .filter(each -> mayFlush(each, except))
        .max(Comparator.comparingLong(EnginePartition::unflushedBytes));
  }

  private static boolean mayFlush(EnginePartition replica, Set<EnginePartition> except) {
    return replica.unflushedBytes() > 0 && !except.contains(replica);
  }

  private boolean awaitWork() {
    lock.lock();
    try {
      long left = LOOK_NANOS;
      while (!hasWork && !closing && left > 0) {
        left = Threads.await(woken, left);
      }
      hasWork = false;
    } finally {
      lock.unlock();
    }
    return !closing;
  }

  private void pause() {
    lock.lock();
    try {
      long left = RETRY_NANOS;
      while (left > 0 && !closing) {
        left = Threads.await(woken, left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Stops flushing. After all replicas are closed. */
  @Override
  public void close() {
    lock.lock();
    try {
      closing = true;
      woken.signalAll();
    } finally {
      lock.unlock();
    }
    Threads.join(thread);
  }
}
