package io.stele.metastore.raft;

import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waiting, as this package does it: to the end, with an interrupt kept for later. */
final class Futures {
  private Futures() {}

  /** The value, or the failure as one of Stele's own kinds. */
  static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw stele(e);
    }
  }

  /** A failure as one of Stele's own kinds. */
  static SteleException stele(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof SteleException stele
        ? stele
        : new UnavailableException(String.valueOf(cause.getMessage()), cause);
  }

  static void joinThread(Thread thread) {
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

  static <T> T take(BlockingQueue<T> queue) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return queue.take();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
