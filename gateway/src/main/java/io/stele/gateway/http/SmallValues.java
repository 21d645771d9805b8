package io.stele.gateway.http;

import io.stele.base.error.UnavailableException;
import io.stele.datasets.serve.Glance;
import io.stele.datasets.serve.LargeValue;
import io.stele.datasets.serve.PeerAnswer;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the answers to several keys of another node: those that are known at once, and those that
 * the disk's threads find, side by side. With the last of them it is answered, by the thread that
 * found it. A value that is too large to go with others is left out, and the answer says so.
 */
final class SmallValues {
  private final MultiGet.@Nullable Entry[] entries; // published by the count
  private final AtomicInteger open;
  private final AtomicBoolean failed = new AtomicBoolean();
  private final Executor diskThreads;
  private final Consumer<List<MultiGet.Entry>> answer;
  private final Consumer<Throwable> failure;

  /**
   * For so many keys.
   *
   * @param answer called once with all, or else
   * @param failure once with the first problem
   */
  SmallValues(
      int keys,
      Executor diskThreads,
      Consumer<List<MultiGet.Entry>> answer,
      Consumer<Throwable> failure) {
    this.entries = new MultiGet.Entry[keys];
    this.open = new AtomicInteger(keys);
    this.diskThreads = diskThreads;
    this.answer = answer;
    this.failure = failure;
    if (keys == 0) {
      answer.accept(List.of());
    }
  }

  /** Takes what was found at a first look; to be called once for each key. */
  void add(int position, Glance<PeerAnswer> glance) {
    switch (glance) {
      case Glance.Known<PeerAnswer>(PeerAnswer found) -> put(position, found);
      case Glance.Asked<PeerAnswer>(CompletableFuture<PeerAnswer> coming) ->
          whenDone(position, coming);
      case Glance.OnDisk<PeerAnswer>(Supplier<CompletableFuture<PeerAnswer>> rest) ->
          read(() -> whenDone(position, rest.get()));
    }
  }

  private void read(Runnable fromDisk) {
    try {
      diskThreads.execute(
          () -> {
            try {
              fromDisk.run();
            } catch (RuntimeException e) {
              fail(e);
            }
          });
    } catch (RejectedExecutionException e) {
      fail(new UnavailableException("the server is stopping", e));
    }
  }

  private void whenDone(int position, CompletableFuture<PeerAnswer> coming) {
    var _ =
        coming.whenComplete(
            (found, problem) -> {
              if (problem == null) {
                put(position, found);
              } else {
                fail(problem);
              }
            });
  }

  private void fail(Throwable problem) {
    if (failed.compareAndSet(false, true)) {
      failure.accept(problem);
    }
  }

  private void put(int position, PeerAnswer found) {
    PeerAnswer small = found;
    if (found instanceof PeerAnswer.Large(LargeValue value)) {
      close(value);
      small = new PeerAnswer.TooLarge();
    }
    entries[position] = MultiGet.Entry.of(small);
    if (open.decrementAndGet() == 0 && !failed.get()) {
      answer.accept(Arrays.stream(entries).map(Objects::requireNonNull).toList());
    }
  }

  private static void close(LargeValue value) {
    try {
      value.close();
    } catch (IOException e) {
      // Nothing of it was read.
    }
  }
}
