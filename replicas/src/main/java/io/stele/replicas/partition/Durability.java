package io.stele.replicas.partition;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.engine.commitlog.CommitLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Those who wait until changes are durable. Futures are completed on threads of their own. */
final class Durability implements CommitLog.Progress {
  private record Waiter(long sequence, CompletableFuture<Long> future) {}

  private final String replica;

  // Guarded by this. Waiters nearly in the order of their sequences.
  private final Deque<Waiter> waiters = new ArrayDeque<>();
  private long durable;
  private @Nullable Throwable failure;

  Durability(String replica) {
    this.replica = replica;
  }

  synchronized Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  CompletableFuture<Long> whenDurable(long sequence) {
    synchronized (this) {
      if (sequence > durable) {
        if (failure != null) {
          return CompletableFuture.failedFuture(unknown(sequence, failure));
        }
        Waiter waiter = new Waiter(sequence, new CompletableFuture<>());
        waiters.add(waiter);
        return waiter.future;
      }
    }
    return CompletableFuture.completedFuture(sequence);
  }

  @Override
  public void durable(long txn) {
    List<Waiter> ready = new ArrayList<>();
    synchronized (this) {
      durable = Math.max(durable, txn);
      // Who came later may be in front, by as many as called at once.
      for (Iterator<Waiter> each = waiters.iterator(); each.hasNext(); ) {
        Waiter waiter = each.next();
        if (waiter.sequence <= durable) {
          each.remove();
          ready.add(waiter);
        }
      }
    }
    if (!ready.isEmpty()) {
      Thread.startVirtualThread(
          () -> ready.forEach(waiter -> waiter.future.complete(waiter.sequence)));
    }
  }

  @Override
  public void failed(Throwable cause) {
    List<Waiter> lost;
    synchronized (this) {
      failure = cause;
      lost = List.copyOf(waiters);
      waiters.clear();
    }
    Thread.startVirtualThread(
        () ->
            lost.forEach(
                waiter -> waiter.future.completeExceptionally(unknown(waiter.sequence, cause))));
  }

  private OutcomeUnknownException unknown(long sequence, Throwable cause) {
    return new OutcomeUnknownException(
        "change "
            + sequence
            + " of replica "
            + replica
            + " may or may not be in its commit log: "
            + cause,
        cause);
  }
}
