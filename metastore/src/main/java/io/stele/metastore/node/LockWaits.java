package io.stele.metastore.node;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied.WaitEnded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The callers that wait for locks, through this member.
 *
 * <p>A caller enters before its request is proposed, so that its grant is not missed, whichever log
 * entry brings it. A request that is asked again has several callers; when the last one has left
 * while the request is in the lock's queue, the wait is to be ended. A request that is granted when
 * its last caller has left is to be given back: until then the log may have brought the grant
 * before the end of the wait, or at once.
 *
 * <p>The return is proposed under the mutex that callers take to enter. A caller that repeats the
 * request therefore proposes it later, and learns from the log that it does not hold the lock.
 */
final class LockWaits {
  /** Names a request for a lock. */
  record Request(Bytes key, long session, long sequence) {}

  private static final class Wait {
    private final Map<Long, CompletableFuture<Long>> callers = new LinkedHashMap<>(); // by number
    private boolean queued;
  }

  /** Gives back what was granted to nobody. */
  interface Return {
    void accept(Request request, long token);
  }

  private final Consumer<Request> abandoned;
  private final Return ungiven;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Request, Wait> waits = new HashMap<>(); // guarded by the lock
  private long callers; // that ever entered; guarded by the lock

  /**
   * Starts without callers.
   *
   * @param abandoned is given requests in a queue that nobody waits for any more
   * @param ungiven is given requests that were granted when nobody waited for them any more
   */
  LockWaits(Consumer<Request> abandoned, Return ungiven) {
    this.abandoned = abandoned;
    this.ungiven = ungiven;
  }

  /** A caller waits; cancel what it returns to leave. */
  CompletableFuture<Long> enter(Request request) {
    CompletableFuture<Long> caller = new CompletableFuture<>();
    long number;
    lock.lock();
    try {
      number = ++callers;
      waits.computeIfAbsent(request, first -> new Wait()).callers.put(number, caller);
    } finally {
      lock.unlock();
    }
    var _ = caller.whenComplete((token, failure) -> left(request, number));
    return caller;
  }

  /** The request is in the lock's queue. Told in the order of the log. */
  void queued(Request request) {
    boolean alone;
    lock.lock();
    try {
      Wait wait = waits.get(request);
      if (wait == null) {
        return; // of a caller of another member
      }
      wait.queued = true;
      alone = wait.callers.isEmpty();
    } finally {
      lock.unlock();
    }
    if (alone) {
      abandoned.accept(request);
    }
  }

  /** The request has got its answer. */
  void ended(WaitEnded end) {
    List<CompletableFuture<Long>> told =
        remove(new Request(end.key(), end.session(), end.sequence()), end.answer());
    switch (end.answer()) {
      case Answer.Granted granted -> told.forEach(caller -> caller.complete(granted.token()));
      case Answer.Refused refused ->
          told.forEach(caller -> caller.completeExceptionally(Refusals.of(refused)));
      default -> throw new IllegalStateException("a wait for a lock ended with " + end.answer());
    }
  }

  /** The request could not be made. */
  void failed(Request request, CompletableFuture<Long> caller, SteleException problem) {
    caller.completeExceptionally(problem);
    lock.lock();
    try {
      Wait wait = waits.get(request);
      if (wait != null && !wait.queued && wait.callers.isEmpty()) {
        waits.remove(request);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends all waits here; the requests stay where they are. */
  void fail(SteleException problem) {
    List<CompletableFuture<Long>> all = new ArrayList<>();
    lock.lock();
    try {
      waits.values().forEach(wait -> all.addAll(wait.callers.values()));
      waits.clear();
    } finally {
      lock.unlock();
    }
    all.forEach(caller -> caller.completeExceptionally(problem));
  }

  private List<CompletableFuture<Long>> remove(Request request, Answer answer) {
    lock.lock();
    try {
      Wait wait = waits.remove(request);
      if (wait != null && wait.callers.isEmpty() && answer instanceof Answer.Granted granted) {
        ungiven.accept(request, granted.token());
      }
      return wait == null ? List.of() : List.copyOf(wait.callers.values());
    } finally {
      lock.unlock();
    }
  }

  private void left(Request request, long number) {
    boolean alone;
    lock.lock();
    try {
      Wait wait = waits.get(request);
      if (wait == null || wait.callers.remove(number) == null) {
        return;
      }
      alone = wait.queued && wait.callers.isEmpty();
    } finally {
      lock.unlock();
    }
    if (alone) {
      abandoned.accept(request);
    }
  }
}
