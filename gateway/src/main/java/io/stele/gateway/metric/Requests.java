package io.stele.gateway.metric;

import io.stele.base.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Counts of all requests, by interface, kind and table. The first {@value #MOST_TABLES} tables have
 * counts of their own; what is asked of others counts as that of table {@code other}, so that the
 * number of metrics is bounded whatever clients ask for.
 *
 * <p>Requests above a length of time are told to a listener, at most one a second: a server in
 * trouble is not to drown in its own log.
 */
public final class Requests {
  private static final int MOST_TABLES = 100;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Requests OF_PROCESS = new Requests(Clock.system());

  private final Clock clock;
  private final Map<String, RequestKind> kinds = new ConcurrentSkipListMap<>();
  private final Set<String> tables = ConcurrentHashMap.newKeySet();
  private final LongAdder slow = new LongAdder();
  private final AtomicLong untold = new AtomicLong();
  private final AtomicLong toldAt;
  private volatile long slowNanos = Long.MAX_VALUE;
  private volatile Consumer<SlowRequest> listener = _ -> {};

  Requests(Clock clock) {
    this.clock = clock;
    this.toldAt = new AtomicLong(clock.nanos() - PAUSE_NANOS);
  }

  /** Those of this process, whose servers are measured together, as its heap is. */
  public static Requests ofProcess() {
    return OF_PROCESS;
  }

  /** A kind of request; the same for the same names. */
  public RequestKind kind(Api api, String name) {
    return kinds.computeIfAbsent(api.label() + " " + name, _ -> new RequestKind(this, api, name));
  }

  public Collection<RequestKind> kinds() {
    return kinds.values();
  }

  /** Requests that take as long as this are told. */
  public void tellSlow(Duration limit, Consumer<SlowRequest> told) {
    listener = told;
    slowNanos = limit.isZero() ? Long.MAX_VALUE : limit.toNanos();
  }

  /** How many requests were slow. */
  public long slowCount() {
    return slow.sum();
  }

  long now() {
    return clock.nanos();
  }

  long slowNanos() {
    return slowNanos;
  }

  void slow(RequestKind kind, String table, Outcome outcome, long nanos, String spent) {
    slow.increment();
    long before = toldAt.get();
    long now = clock.nanos();
    if (now - before < PAUSE_NANOS || !toldAt.compareAndSet(before, now)) {
      untold.incrementAndGet();
      return;
    }
    listener.accept(
        new SlowRequest(
            kind.api(), kind.name(), table, outcome, nanos, spent, untold.getAndSet(0)));
  }

  /**
   * Whether a table has counts of its own.
   *
   * @param exists whether it is known to exist; others get none
   */
  boolean mayCount(String table, boolean exists) {
    if (tables.contains(table)) {
      return true;
    }
    if (!exists || tables.size() >= MOST_TABLES) {
      return false;
    }
    tables.add(table); // a few more at once do no harm
    return true;
  }
}
