package io.stele.engine.commitlog;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Threads that wait for transactions to become durable. Each is woken by name when its own is, so
 * that a sync does not wake writers that still have to wait.
 */
final class DurabilityWaiters {
  private record Waiter(long txn, Thread thread) {}

  private final List<Waiter> waiters = new ArrayList<>(); // guarded by itself

  /**
   * Waits until {@code over}. Whoever makes it true must call {@link #wake} afterwards: a waiter
   * looks at it after it has been listed, and so is either seen by that call or sees for itself.
   */
  void await(long txn, BooleanSupplier over) {
    synchronized (waiters) {
      waiters.add(new Waiter(txn, Thread.currentThread()));
    }
    boolean interrupted = false;
    while (!over.getAsBoolean()) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Wakes those who wait for a transaction up to this one. */
  void wake(long txn) {
    List<Thread> ready = new ArrayList<>();
    synchronized (waiters) {
      waiters.removeIf(waiter -> waiter.txn <= txn && ready.add(waiter.thread));
    }
    ready.forEach(LockSupport::unpark);
  }
}
