package io.stele.metastore.node;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.lock.LockDelay;
import io.stele.metastore.lock.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long requests may stay in locks' queues, and locks closed, by the leader's monotonic clock.
 * In memory only: who leads next begins all of them anew.
 */
final class LockDeadlines {
  /** A delay of a lock. */
  record Delay(Bytes key, long token) {}

  private final long repeatNanos;
  private final Map<LockWaits.Request, Long> waits = new HashMap<>();
  private final Map<Delay, Long> delays = new HashMap<>();

  LockDeadlines(Duration repeat) {
    this.repeatNanos = repeat.toNanos();
  }

  /** These wait, and these are closed; those known already keep their time. */
  synchronized void adopt(
      List<LockRequest.Waiting> waiting, List<LockDelay.Closed> closed, long now) {
    waiting.forEach(
        wait ->
            waits.putIfAbsent(
                new LockWaits.Request(
                    wait.key(), wait.request().session(), wait.request().sequence()),
                later(now, wait.request().patience())));
    delayed(closed, now);
  }

  synchronized void clear() {
    waits.clear();
    delays.clear();
  }

  synchronized void queued(LockWaits.Request request, Duration patience, long now) {
    waits.putIfAbsent(request, later(now, patience));
  }

  synchronized void waitEnded(LockWaits.Request request) {
    waits.remove(request);
  }

  /** These locks are closed; those known already keep their time. */
  synchronized void delayed(List<LockDelay.Closed> closed, long now) {
    closed.forEach(
        lock ->
            delays.putIfAbsent(
                new Delay(lock.key(), lock.delay().token()), later(now, lock.delay().time())));
  }

  synchronized void delayEnded(Delay delay) {
    delays.remove(delay);
  }

  synchronized List<LockWaits.Request> dueWaits(long now) {
    return due(waits, now);
  }

  synchronized List<Delay> dueDelays(long now) {
    return due(delays, now);
  }

  /** What is due; proposed again after a while if it does not come about. */
  private <T> List<T> due(Map<T, Long> deadlines, long now) {
    List<T> due = new ArrayList<>();
    for (Map.Entry<T, Long> entry : deadlines.entrySet()) {
      if (now - entry.getValue() >= 0) {
        entry.setValue(now + repeatNanos);
        due.add(entry.getKey());
      }
    }
    return due;
  }

  /** Far deadlines are as good as none: the sum must not overflow. */
  private static long later(long now, Duration time) {
    Duration most = Duration.ofDays(10_000);
    return now + (time.compareTo(most) > 0 ? most : time).toNanos();
  }
}
