package io.stele.client.metastore;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waiting for answers. */
final class Await {
  private Await() {}

  static <T> T answer(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new OutcomeUnknownException("interrupted while waiting for the answer", e);
    } catch (CancellationException e) {
      throw new OutcomeUnknownException("cancelled while waiting for the answer", e);
    } catch (ExecutionException e) {
      throw problem(e);
    }
  }

  /** What a future failed with. */
  static SteleException problem(Throwable thrown) {
    Throwable found = thrown;
    while (!(found instanceof SteleException) && found.getCause() != null) {
      found = found.getCause();
    }
    return found instanceof SteleException error
        ? error
        : new UnavailableException("a defect of the client: " + found, found);
  }
}
