package io.stele.tables.master;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls to servers, each on a thread of its own. A call is waited for as long as the server lives:
 * one that hangs loses its session before long, and then whoever waits must go on and give its
 * tablets to others. Any number of threads.
 */
final class Orders {
  private static final Duration LOOK = Duration.ofMillis(100);

  private final MasterParts parts;
  private final MasterSettings settings;

  @GuardedBy("this")
  private List<LiveServer> live = List.of(); // when it was last asked

  @GuardedBy("this")
  private Optional<Long> asked = Optional.empty();

  Orders(MasterParts parts, MasterSettings settings) {
    this.parts = parts;
    this.settings = settings;
  }

  /**
   * Asks something of a server and waits for the answer.
   *
   * @throws OutcomeUnknownException if the server is gone or took too long: it may have done it
   */
  <T> T call(LiveServer server, String what, Function<TabletControl, T> order) {
    return call(server, what, settings.patience(), order);
  }

  <T> T call(LiveServer server, String what, Duration patience, Function<TabletControl, T> order) {
    parts.lead().check();
    long end = parts.clock().nanos() + patience.toNanos();
    return await(
        () -> order.apply(parts.controls().apply(server)),
        () -> {
          if (!isLive(server)) {
            throw new OutcomeUnknownException(
                "server " + server.address() + " lost its session while it was to " + what);
          }
          if (parts.clock().nanos() - end >= 0) {
            throw new OutcomeUnknownException(
                "server " + server.address() + " took more than " + patience + " to " + what);
          }
        });
  }

  /**
   * Reads or writes META and waits for it, unless something happens that makes waiting pointless.
   *
   * @param look throws if so; asked every now and then
   */
  <T> T await(Callable<T> action, Runnable look) {
    FutureTask<T> task = new FutureTask<>(action);
    Thread thread = Thread.ofVirtual().name("stele-order").start(task);
    boolean done = false;
    try {
      while (true) {
        try {
          T answer = task.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
          done = true;
          return answer;
        } catch (TimeoutException e) {
          parts.lead().check();
          look.run();
        } catch (ExecutionException e) {
          done = true;
          throw known(e.getCause());
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new UnavailableException("the master has ended", e);
        }
      }
    } finally {
      if (!done) {
        thread.interrupt();
      }
    }
  }

  /** What went wrong, by its kind if it has one. */
  static SteleException known(@Nullable Throwable cause) {
    return cause instanceof SteleException failure
        ? failure
        : new UnavailableException("failed: " + cause, cause);
  }

  /** Asks something of many servers at once; failures are told by server. */
  <T> Map<LiveServer, Answer<T>> callAll(
      Collection<LiveServer> servers,
      String what,
      Duration patience,
      Function<TabletControl, T> order) {
    Map<LiveServer, Supplier<T>> calls = new LinkedHashMap<>();
    servers.forEach(server -> calls.put(server, () -> call(server, what, patience, order)));
    return all(calls);
  }

  /** Does many things at once, and waits for all of them. */
  static <K, T> Map<K, Answer<T>> all(Map<K, Supplier<T>> calls) {
    Map<K, Future<Answer<T>>> futures = new LinkedHashMap<>();
    calls.forEach((key, call) -> futures.put(key, start(call)));
    Map<K, Answer<T>> answers = new LinkedHashMap<>();
    futures.forEach((key, future) -> answers.put(key, join(future)));
    return answers;
  }

  private static <T> Future<Answer<T>> start(Supplier<T> call) {
    CompletableFuture<Answer<T>> future = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("stele-orders")
        .start(
            () -> {
              try {
                future.complete(new Answer.Given<>(call.get()));
              } catch (RuntimeException | Error e) { // whoever waits must be told, whatever it was
                future.complete(new Answer.Failed<>(known(e)));
              }
            });
    return future;
  }

  private static <T> Answer<T> join(Future<Answer<T>> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Answer.Failed<>(new UnavailableException("the master has ended", e));
    } catch (ExecutionException e) {
      return new Answer.Failed<>(known(e.getCause()));
    }
  }

  /** What came of one of many calls. */
  sealed interface Answer<T> {
    record Given<T>(T value) implements Answer<T> {}

    record Failed<T>(SteleException problem) implements Answer<T> {}

    /** All answers; the first failure if there is one. */
    static <T> List<T> values(Collection<Answer<T>> answers) {
      List<T> values = new ArrayList<>();
      for (Answer<T> answer : answers) {
        switch (answer) {
          case Given<T>(T value) -> values.add(value);
          case Failed<T>(SteleException problem) -> throw problem;
        }
      }
      return values;
    }
  }

  /** Whether a server lived a moment ago. If nobody can tell, it may. */
  synchronized boolean isLive(LiveServer server) {
    long now = parts.clock().nanos();
    if (asked.isEmpty() || now - asked.get() >= LOOK.toNanos()) {
      try {
        live = parts.membership().live();
        asked = Optional.of(now);
      } catch (SteleException e) {
        return true;
      }
    }
    return live.contains(server);
  }
}
