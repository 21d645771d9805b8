package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A call on a thread of its own that is expected to wait for something. */
public final class WaitingCall<T> {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final CompletableFuture<T> result = new CompletableFuture<>();
  private final Thread thread;

  private WaitingCall(Supplier<T> call) {
    this.thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    result.complete(call.get());
                  } catch (RuntimeException | Error e) {
                    result.completeExceptionally(e);
                  }
                });
  }

  public static <T> WaitingCall<T> of(Supplier<T> call) {
    return new WaitingCall<>(call);
  }

  public static WaitingCall<Boolean> of(Runnable call) {
    return new WaitingCall<>(
        () -> {
          call.run();
          return true;
        });
  }

  /** Fails unless the call has come to wait, and not to its end. */
  public void assertWaits(String about) {
    await()
        .pollInterval(Duration.ofMillis(1))
        .atMost(DEADLINE)
        .until(() -> thread.getState() == Thread.State.WAITING || result.isDone());
    assertThat(result).as(about).isNotDone();
  }

  public Thread thread() {
    return thread;
  }

  public CompletableFuture<T> result() {
    return result;
  }
}
