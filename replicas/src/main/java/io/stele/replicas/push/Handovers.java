package io.stele.replicas.push;

import io.stele.base.time.Clock;
import io.stele.replicas.partition.Threads;
import io.stele.replicas.push.Duty.Target;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Has the halves of a split take over what the replica of the split partition on the same server
 * has, one at a time, and reads what others are sent of the files. That is work for processor and
 * disk alone, so it has threads of its own: virtual ones, of which few run at once, would keep
 * those of readers and writers waiting.
 */
final class Handovers implements AutoCloseable {
  private static final int READERS = 2;

  private final Function<String, Optional<LocalReplica>> local; // by assignment
  private final Clock clock;
  private final ExecutorService takeovers =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("stele-replica-handover").factory());
  private final ExecutorService readers =
      Executors.newFixedThreadPool(
          READERS, Thread.ofPlatform().daemon().name("stele-replica-reads-", 1).factory());

  Handovers(Function<String, Optional<LocalReplica>> local, Clock clock) {
    this.local = local;
    this.clock = clock;
  }

  /** A target on this server that takes over from a replica. */
  Optional<LocalReplica> heir(LocalReplica from, Target target) {
    return local
        .apply(target.assignment().id())
        .filter(each -> each.beginning().isFrom(from.name()));
  }

  /**
   * Has a target take over from a replica.
   *
   * @throws CancellationException if asked to stop, or one of them is closed
   */
  void handOver(LocalReplica from, LocalReplica heir, BooleanSupplier cancelled) {
    Beginning beginning = heir.beginning();
    if (beginning.isWhole()) {
      return;
    }
    from.store().whenDurable(beginning.sequence()).join();
    BooleanSupplier paced = new Pace(from, cancelled);
    long cells = on(takeovers, () -> beginning.takeOver(heir, from, paced));
    heir.report(
        new ReplicaEvent.TakenOver(
            heir.name().toString(), from.name().toString(), cells, beginning.sequence()));
    heir.retryNow(); // it may hand over, and send, what it has
  }

  /** Reads files, off the threads of readers and writers. */
  <T> T read(Supplier<T> work) {
    return on(readers, work);
  }

  private static <T> T on(ExecutorService threads, Supplier<T> work) {
    try {
      return CompletableFuture.supplyAsync(work, threads).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /** Those that wait have been asked to stop, and do so. */
  @Override
  public void close() {
    takeovers.shutdown();
    readers.shutdown();
  }

  /** While there are writes, takes no more than half of the time for itself. */
  private final class Pace implements BooleanSupplier {
    private static final long LONGEST_REST = TimeUnit.MILLISECONDS.toNanos(200);

    private final LocalReplica from;
    private final BooleanSupplier cancelled;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition never = lock.newCondition();
    private long sequence;
    private long rested;

    private Pace(LocalReplica from, BooleanSupplier cancelled) {
      this.from = from;
      this.cancelled = cancelled;
      this.sequence = from.store().sequence();
      this.rested = clock.nanos();
    }

    @Override
    public boolean getAsBoolean() {
      long newest = from.store().sequence();
      if (newest != sequence) {
        sequence = newest;
        rest(Math.min(clock.nanos() - rested, LONGEST_REST));
      }
      rested = clock.nanos();
      return cancelled.getAsBoolean();
    }

    private void rest(long nanos) {
      long left = nanos;
      lock.lock();
      try {
        while (left > 0 && !cancelled.getAsBoolean()) {
          left = Threads.await(never, left);
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
