package io.stele.engine;

/** Small things about threads that the JDK leaves to its users. */
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
}
