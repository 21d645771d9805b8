package io.stele.metastore.node;

import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Futures as the metastore hands them out: they fail with a {@link SteleException} itself. */
final class Outcomes {
  private Outcomes() {}

  /** What was thrown, out of what stages of a future wrap it in. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  static SteleException problem(Throwable failure) {
    Throwable cause = cause(failure);
    return cause instanceof SteleException known
        ? known
        : new UnavailableException("the metastore failed: " + cause, cause);
  }

  static <T extends @Nullable Object> CompletableFuture<T> plain(CompletableFuture<T> future) {
    CompletableFuture<T> plain = new CompletableFuture<>();
    var _ =
        future.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                plain.complete(value);
              } else if (cause(failure) instanceof CancellationException cancelled) {
                plain.completeExceptionally(cancelled);
              } else {
                plain.completeExceptionally(problem(failure));
              }
            });
    return plain;
  }

  /** What an action answers, or how it fails at once. */
  static <T extends @Nullable Object> CompletableFuture<T> of(
      Supplier<CompletableFuture<T>> action) {
    try {
      return action.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(problem(e));
    }
  }
}
