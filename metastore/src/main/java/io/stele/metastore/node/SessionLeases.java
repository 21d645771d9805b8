package io.stele.metastore.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Until when the leader takes sessions, or leases, to be alive, by its monotonic clock. In memory
 * only: who leads next gives every session its full time again.
 *
 * <p>Once the end of a session is decided it is not renewed any more, even if the log takes long to
 * bring the end about: its owner was told nothing that could make it believe that it lives.
 */
final class SessionLeases {
  /** What came of a renewal. */
  enum Renewal {
    DONE,
    /** Its end is decided. */
    ENDING,
    /** Who leads now may still renew it. */
    NOT_LEADING
  }

  private static final class Lease {
    private long deadline;
    private boolean ending;

    private Lease(long deadline) {
      this.deadline = deadline;
    }
  }

  private final long repeatNanos;
  private final Map<Long, Lease> leases = new HashMap<>();
  private boolean leading;
  private long earliest; // no deadline is before it; spares most looks at all of them

  /**
   * Starts without sessions.
   *
   * @param repeat after which the end of a session is proposed again if it has not come
   */
  SessionLeases(Duration repeat) {
    this.repeatNanos = repeat.toNanos();
  }

  synchronized void leads(Map<Long, Duration> sessions, long now) {
    leading = true;
    leases.clear();
    adopt(sessions, now);
  }

  /** These live: those not known yet have their full time from now on. */
  synchronized void adopt(Map<Long, Duration> sessions, long now) {
    if (leading) {
      sessions.forEach((id, time) -> leases.putIfAbsent(id, new Lease(now + time.toNanos())));
      earliest = now; // look at all of them next time
    }
  }

  synchronized void follows() {
    leading = false;
    leases.clear();
  }

  synchronized Renewal renew(long session, Duration time, long now) {
    if (!leading) {
      return Renewal.NOT_LEADING;
    }
    long deadline = now + time.toNanos();
    Lease lease = leases.computeIfAbsent(session, first -> new Lease(deadline));
    if (lease.ending) {
      return Renewal.ENDING;
    }
    if (deadline - lease.deadline > 0) {
      lease.deadline = deadline;
    }
    if (deadline - earliest < 0) {
      earliest = deadline;
    }
    return Renewal.DONE;
  }

  /** How long it has yet, in nanoseconds; nothing if it is not known here, or is ending. */
  synchronized OptionalLong remaining(long session, long now) {
    Lease lease = leases.get(session);
    return lease == null || lease.ending
        ? OptionalLong.empty()
        : OptionalLong.of(Math.max(0, lease.deadline - now));
  }

  synchronized void ended(long session) {
    leases.remove(session);
  }

  /** All have so much more time. */
  synchronized void extend(long nanos) {
    leases.values().forEach(lease -> lease.deadline += nanos);
  }

  /** The sessions to end now; their end is decided herewith. */
  synchronized List<Long> due(long now) {
    if (leases.isEmpty() || now - earliest < 0) {
      return List.of();
    }
    List<Long> due = new ArrayList<>();
    long next = now + repeatNanos;
    for (Map.Entry<Long, Lease> entry : leases.entrySet()) {
      Lease lease = entry.getValue();
      if (now - lease.deadline >= 0) {
        lease.ending = true;
        lease.deadline = now + repeatNanos;
        due.add(entry.getKey());
      } else if (lease.deadline - next < 0) {
        next = lease.deadline;
      }
    }
    earliest = next;
    return due;
  }
}
