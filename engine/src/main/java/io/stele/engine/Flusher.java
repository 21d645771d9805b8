package io.stele.engine;

import io.stele.base.error.ExhaustedException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.compaction.CompactionJob;
import io.stele.engine.disk.FragmentProperties;
import io.stele.engine.fragment.Fragment;
import io.stele.engine.memory.MemFragment;
import io.stele.engine.merge.Older;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Writes frozen mem fragments to disk, on a thread of its own, and lets the log files go that they
 * came from. A flush that fails is tried again; until it succeeds memory stays in use, and writers
 * wait when it is full.
 */
final class Flusher {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final StoreContext context;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread thread;

  /** Of all mem fragments but the active one. Changed under the lock, looked at without it. */
  private final AtomicLong memory = new AtomicLong();

  // Guarded by lock. A mem fragment may be flushed a moment before it is counted as frozen.
  private long frozen; // how many ever were
  private long flushed; // how many of them are on disk
  private long failures;
  private @Nullable Exception lastFailure;
  private boolean hurried; // somebody waits: the next try comes at once
  private boolean ended; // no flush will ever succeed again
  private boolean closing;

  Flusher(StoreContext context) {
    this.context = context;
    this.thread = Thread.ofPlatform().name("stele-flush").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** A mem fragment, already in the chain, takes no more writes. */
  void add(MemFragment fragment) {
    lock.lock();
    try {
      frozen++;
      memory.addAndGet(fragment.bytes());
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits while mem fragments take too much memory.
   *
   * @throws ExhaustedException if waiting does not help, because flushing fails
   */
  void throttle(long activeBytes, long limit) {
    if (memory.get() + activeBytes < limit) {
      return;
    }
    lock.lock();
    try {
      while (frozen > flushed && memory.get() + activeBytes >= limit && !closing) {
        if (ended) {
          throw notFlushed();
        }
        if (lastFailure != null) {
          throw new ExhaustedException(
              "mem fragments take "
                  + (memory.get() + activeBytes)
                  + " bytes, at most "
                  + limit
                  + ", and cannot be flushed: "
                  + lastFailure,
              lastFailure);
        }
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all that was frozen by now is on disk. */
  void await() {
    lock.lock();
    try {
      long wanted = frozen;
      long failuresBefore = failures;
      hurried = true;
      changed.signalAll();
      while (flushed < wanted && !closing && !ended && failures == failuresBefore) {
        changed.awaitUninterruptibly();
      }
      if (flushed < wanted) {
        throw notFlushed();
      }
    } finally {
      lock.unlock();
    }
  }

  private UnavailableException notFlushed() {
    return new UnavailableException(
        "mem fragments could not be flushed: " + (closing ? "the store is closed" : lastFailure),
        lastFailure);
  }

  /** Stops after the flush under way is abandoned; what is not flushed stays in the log. */
  void close() {
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    Threads.join(thread);
  }

  private void run() {
    while (awaitWork()) {
      try {
        flush();
      } catch (CancellationException e) {
        return;
      } catch (IOException | RuntimeException e) {
        failed(e);
      } catch (Error e) {
        died(e);
        return;
      }
    }
  }

  /** Flushing has ended for good: fails everything that waits for it. */
  private void died(Error cause) {
    context.report(new StoreEvent.WorkerDied("flushes", cause));
    lock.lock();
    try {
      failures++;
      lastFailure = new UnavailableException("the thread for flushes has died: " + cause, cause);
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean awaitWork() {
    lock.lock();
    try {
      while (frozen == flushed && !closing) {
        changed.awaitUninterruptibly();
      }
      hurried = false;
      return !closing && !ended;
    } finally {
      lock.unlock();
    }
  }

  private void failed(Exception cause) {
    context.report(new StoreEvent.BackgroundFailed("flush", cause));
    lock.lock();
    try {
      failures++;
      lastFailure = cause;
      ended = context.hasEnded();
      changed.signalAll();
      long left = RETRY_NANOS;
      while (left > 0 && !hurried && !closing && !ended) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      // Nobody interrupts this thread on purpose; then the next try comes early.
    } finally {
      lock.unlock();
    }
  }

  private void flush() throws IOException {
    context.keeper().checkUsable();
    Chain chain = context.keeper().holder().current();
    List<Link> inputs = new ArrayList<>();
    long bytes = 0;
    long txn = 0;
    for (Link link : chain.links()) {
      if (link.fragment() instanceof MemFragment mem && mem.isFrozen()) {
        inputs.add(link);
        bytes += mem.bytes();
        txn = Math.max(txn, mem.maxTxn());
      }
    }
    if (inputs.isEmpty()) {
      return;
    }
    // No file may hold what the log could still lose: later writes must not survive earlier ones.
    context.awaitDurable(txn);
    List<Fragment> before = chain.fragments().subList(0, chain.links().indexOf(inputs.getFirst()));
    FilePath path = context.keeper().newFragmentPath();
    CompactionJob job = context.job(path, inputs, Older.of(before));
    long start = context.clock().nanos();
    Optional<FragmentProperties> written = job.run(this::isClosing);
    context.keeper().replace(inputs, written.map(_ -> path), txn);
    done(inputs.size(), bytes); // whatever becomes of the rest: these are on disk
    context.releaseLog(txn);
    context.report(
        new StoreEvent.Flushed(
            path,
            written.map(FragmentProperties::cells).orElse(0L),
            txn,
            context.clock().nanos() - start));
    context.compactor().wake();
  }

  private void done(int fragments, long bytes) {
    context.freed(bytes); // before those who wait for the flush look
    lock.lock();
    try {
      lastFailure = null;
      flushed += fragments;
      memory.addAndGet(-bytes);
      changed.signalAll();
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
}
