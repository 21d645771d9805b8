package io.stele.replicas.partition;

import java.util.concurrent.locks.Condition;

/** Small things about threads that the JDK leaves to its users. Nobody here is interrupted. */
public final class Threads {
  private Threads() {}

  /** Waits for a thread's end, and keeps an interrupt for later. */
  public static void join(Thread thread) {
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

  /** Waits for a signal; returns the nanoseconds that are left. */
  @SuppressWarnings("WaitNotInLoop") // its callers loop
  public static long await(Condition condition, long nanos) {
    try {
      return condition.awaitNanos(nanos);
    } catch (InterruptedException e) {
      return 0; // by nobody that is known of: the caller looks again
    }
  }
}
