package io.stele.tables.load;

import io.stele.base.error.SteleException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for futures, and throws what they failed with as it is. */
final class Waiting {
  private Waiting() {}

  static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof SteleException failure) {
        throw failure;
      }
      throw e;
    }
  }
}
