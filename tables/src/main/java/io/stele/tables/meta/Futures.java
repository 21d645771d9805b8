package io.stele.tables.meta;

import io.stele.base.error.SteleException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waiting for futures that fail with exceptions of our own. */
public final class Futures {
  private Futures() {}

  /** Waits, and throws what the future failed with. */
  public static <T> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof SteleException failure) {
        throw failure;
      }
      throw e;
    }
  }
}
