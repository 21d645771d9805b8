package io.stele.tables.txn;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.error.FencedException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of a server: which have been given out, which are on disk, and which are stable.
 *
 * <p>Invariant: {@code assigned >= durable >= stable}. All three only grow.
 *
 * <p>A transaction is <em>stable</em> when nothing that it brought about is still to be saved. A
 * flush, say, changes configurations of tablets; these are changes of META, with transactions of
 * their own, and those may change the configuration of META in turn, up to the root. Whoever brings
 * such a thing about says so ({@link #addFutureDeps}) and, when the change of META has its
 * transaction, names it ({@link #resolveFutureDeps}).
 *
 * <p>Every answer of the server passes by here last: an acknowledgement completes one of these
 * futures, and a read asks {@link #checkLease}. Without the {@link Lease} nothing is answered any
 * more, though it be durable: others may have replayed the log by then.
 */
public final class Sequencer {
  private record Waiter(long txn, CompletableFuture<Long> future) {}

  /** What a transaction still waits for. */
  private static final class Deps {
    int unresolved;
    final Set<Long> resolved = new HashSet<>(); // the transactions that others became
  }

  private final Executor acknowledger;
  private final Lease lease;

  private volatile long assigned; // written under the commit lock
  private volatile long committed; // the newest that was given out, not skipped; likewise
  private volatile long stamped; // the newest time that a cell was given; likewise
  private volatile long durable;
  private volatile @Nullable Throwable failure;
  private final CompletableFuture<Object> end = new CompletableFuture<>(); // fails with the log

  @GuardedBy("this")
  private final Deque<Waiter> durabilityWaiters = new ArrayDeque<>(); // by transaction

  @GuardedBy("this")
  private final List<Waiter> stabilityWaiters = new ArrayList<>();

  @GuardedBy("this")
  private final TreeMap<Long, Deps> deps = new TreeMap<>();

  /** One of a server that nobody takes tablets from. */
  public Sequencer(long lastTxn, Executor acknowledger) {
    this(lastTxn, acknowledger, Lease.FOR_EVER);
  }

  /**
   * Starts behind a transaction, all of which is durable and stable.
   *
   * @param acknowledger completes futures, so that the log thread need not
   */
  public Sequencer(long lastTxn, Executor acknowledger, Lease lease) {
    this.lease = lease;
    this.assigned = lastTxn;
    this.committed = lastTxn;
    this.durable = lastTxn;
    this.acknowledger = acknowledger;
  }

  // ---- giving out; under the commit lock

  /** What {@link #allocate} gives out next. */
  public long next() {
    return assigned + 1;
  }

  /** Gives out a transaction, which whoever asks for the latest reads from now on. */
  public long allocate() {
    long txn = assigned + 1;
    committed = txn;
    assigned = txn;
    return txn;
  }

  /**
   * Gives out nothing at or below a transaction from now on: a tablet has come that has seen it.
   * What lies between is nobody's, and so durable as soon as what was given out before it is.
   */
  public void advanceTo(long txn) {
    assigned = Math.max(assigned, txn);
    synchronized (this) {
      if (durable >= committed) {
        durable = assigned;
      }
    }
  }

  public long assigned() {
    return assigned;
  }

  /**
   * A time for the cells of a commit that ask for the server's: of two commits the later one has
   * the later time, whatever the clock does.
   *
   * @param now by the clock, in microseconds
   */
  public long stamp(long now) {
    stamped = Math.max(stamped + 1, now);
    return stamped;
  }

  /**
   * Gives out no time at or before this one from now on: a tablet has come that has such cells, and
   * an overwrite with an older time would stay unseen.
   */
  public void advanceStampTo(long micros) {
    stamped = Math.max(stamped, micros);
  }

  /** The newest time that was given out, or came with a tablet; microseconds. */
  public long stamped() {
    return stamped;
  }

  // ---- the right to answer

  /** Whether the server may answer at this moment; once false, it stays so. */
  public boolean mayAnswer() {
    return lease.isHeld();
  }

  /**
   * To be called when an answer is complete, before it leaves.
   *
   * @throws FencedException if the lease is lost
   */
  public void checkLease() {
    if (!lease.isHeld()) {
      throw fence();
    }
  }

  /** Ends all that waits: it will not be acknowledged any more. */
  private FencedException fence() {
    FencedException lost = lost("this server");
    if (failure == null) {
      failed(lost);
    }
    return lost;
  }

  private static FencedException lost(String what) {
    return new FencedException(
        what
            + " answers no more: its session in the metastore is lost, and others may have its"
            + " tablets");
  }

  // ---- durability

  public long durable() {
    return durable;
  }

  /** All up to a transaction is on disk. */
  public void durable(long txn) {
    List<Waiter> ready = new ArrayList<>();
    synchronized (this) {
      long skipped = assigned; // read first: what is given out meanwhile shows in committed
      durable = Math.max(durable, txn >= committed ? Math.max(txn, skipped) : txn);
      while (!durabilityWaiters.isEmpty() && durabilityWaiters.getFirst().txn <= durable) {
        ready.add(durabilityWaiters.removeFirst());
      }
      takeStable(ready);
    }
    complete(ready);
  }

  /** Nothing more will be on disk: what is not may or may not be found after a restart. */
  public void failed(Throwable cause) {
    List<Waiter> lost = new ArrayList<>();
    synchronized (this) {
      failure = cause;
      lost.addAll(durabilityWaiters);
      lost.addAll(stabilityWaiters);
      durabilityWaiters.clear();
      stabilityWaiters.clear();
    }
    acknowledger.execute(
        () -> {
          lost.forEach(waiter -> waiter.future.completeExceptionally(unknown(waiter.txn)));
          end.completeExceptionally(
              cause instanceof FencedException
                  ? cause
                  : new OutcomeUnknownException(
                      "nothing becomes durable any more: " + cause, cause));
        });
  }

  /**
   * A future that fails, at the latest, when the log does: for those who wait for something that is
   * tried again and again, which would not end then.
   */
  public CompletableFuture<?> unlessFailed(CompletableFuture<?> future) {
    return CompletableFuture.anyOf(future, end);
  }

  private SteleException unknown(long txn) {
    if (failure instanceof FencedException) {
      return lost("the server of transaction " + txn);
    }
    return new OutcomeUnknownException(
        "transaction " + txn + " may or may not be in the commit log: " + failure, failure);
  }

  /** Waits until all up to a transaction is on disk. */
  public void awaitDurable(long txn) {
    try {
      whenDurable(txn).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof SteleException lost) {
        throw lost;
      }
      throw e;
    }
  }

  /** Completed with the newest durable transaction, once that is this one or a later one. */
  public CompletableFuture<Long> whenDurable(long txn) {
    if (!lease.isHeld()) {
      return CompletableFuture.failedFuture(fence());
    }
    if (durable >= txn) {
      return CompletableFuture.completedFuture(durable);
    }
    CompletableFuture<Long> future = new CompletableFuture<>();
    synchronized (this) {
      if (durable >= txn) {
        return CompletableFuture.completedFuture(durable);
      }
      if (failure != null) {
        return CompletableFuture.failedFuture(unknown(txn));
      }
      if (durabilityWaiters.isEmpty() || durabilityWaiters.getLast().txn <= txn) {
        durabilityWaiters.addLast(new Waiter(txn, future));
      } else {
        insert(new Waiter(txn, future));
      }
    }
    return future;
  }

  @GuardedBy("this")
  private void insert(Waiter waiter) {
    Deque<Waiter> later = new ArrayDeque<>();
    while (!durabilityWaiters.isEmpty() && durabilityWaiters.getLast().txn > waiter.txn) {
      later.addFirst(durabilityWaiters.removeLast());
    }
    durabilityWaiters.addLast(waiter);
    durabilityWaiters.addAll(later);
  }

  // ---- stability

  /** A transaction is not stable before so many more things have been resolved and are durable. */
  public synchronized void addFutureDeps(long txn, int count) {
    deps.computeIfAbsent(txn, _ -> new Deps()).unresolved += count;
  }

  /** So many of the things that a transaction waits for have become a transaction of META. */
  public void resolveFutureDeps(long txn, int count, long futureTxn) {
    List<Waiter> ready = new ArrayList<>();
    synchronized (this) {
      Deps open = deps.get(txn);
      if (open == null || open.unresolved < count) {
        throw new IllegalStateException(
            count + " dependencies of transaction " + txn + " resolved that it does not have");
      }
      open.unresolved -= count;
      open.resolved.add(futureTxn);
      settle(); // nobody may ever ask what is stable, and there is one entry for each flush
      takeStable(ready);
    }
    complete(ready);
  }

  /** The newest transaction that is stable with all before it. */
  public synchronized long stable() {
    settle();
    return deps.isEmpty() ? durable : Math.min(durable, deps.firstKey() - 1);
  }

  /** Completed once a transaction is stable, with all before it. */
  public CompletableFuture<Long> whenStable(long txn) {
    synchronized (this) {
      if (stable() >= txn) {
        return CompletableFuture.completedFuture(stable());
      }
      if (failure != null) {
        return CompletableFuture.failedFuture(unknown(txn));
      }
      CompletableFuture<Long> future = new CompletableFuture<>();
      stabilityWaiters.add(new Waiter(txn, future));
      return future;
    }
  }

  /**
   * Forgets dependencies that have been fulfilled. A thing is fulfilled when its transaction is
   * durable and waits for nothing itself; those before it do not count, or none ever would be.
   */
  @GuardedBy("this")
  private void settle() {
    Map<Long, Deps> all = deps;
    boolean changed = true;
    while (changed) {
      changed =
          all.values()
              .removeIf(
                  open ->
                      open.unresolved == 0
                          && open.resolved.stream()
                              .allMatch(txn -> txn <= durable && !all.containsKey(txn)));
    }
  }

  /** For tests: how many transactions wait for something. */
  synchronized int waitingForDeps() {
    return deps.size();
  }

  @GuardedBy("this")
  private void takeStable(List<Waiter> ready) {
    if (!stabilityWaiters.isEmpty()) {
      long stable = stable();
      stabilityWaiters.removeIf(waiter -> waiter.txn <= stable && ready.add(waiter));
    }
  }

  private void complete(List<Waiter> ready) {
    if (!ready.isEmpty()) {
      long now = durable;
      acknowledger.execute(() -> ready.forEach(waiter -> acknowledge(waiter, now)));
    }
  }

  private void acknowledge(Waiter waiter, long now) {
    if (lease.isHeld()) {
      waiter.future.complete(now);
    } else {
      waiter.future.completeExceptionally(fence());
    }
  }
}
