package io.stele.tables.sim;

import io.stele.tables.txn.Lease;
import io.stele.tables.txn.SessionLease;
import io.stele.testkit.sim.SimulatedClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Sessions as a metastore keeps them, in time that passes only as a schedule lets it. The metastore
 * waits a margin longer than a server's own clock lets its lease last.
 */
final class Sessions {
  static final Duration TIME = Duration.ofMinutes(10); // so long that real time does not count
  private static final Duration MARGIN = TIME.dividedBy(4);

  /** By how much a server's clock may run wrong: the margin covers it. */
  static final double MOST_DRIFT = 0.1;

  /** A server's session. */
  static final class Session {
    private final SimulatedClock clock;
    private volatile long renewedNanos; // by the server's clock, when it sent the renewal
    private volatile boolean cutOff;
    private Duration ends; // by the metastore's clock; guarded by Sessions

    private Session(SimulatedClock clock, Duration ends) {
      this.clock = clock;
      this.renewedNanos = clock.nanos();
      this.ends = ends;
    }

    boolean isAlive() {
      return clock.nanos() - renewedNanos < TIME.toNanos();
    }

    /** As the servers' own: what {@code TabletNode} gives them. */
    Lease lease() {
      return new SessionLease(this::isAlive, clock, TIME.dividedBy(2));
    }
  }

  private final Map<String, Session> sessions = new ConcurrentSkipListMap<>();
  private Duration now = Duration.ZERO; // guarded by this

  /** Begins the session of a run of a server. */
  synchronized Session begin(String run, SimulatedClock clock) {
    Session session = new Session(clock, now.plus(TIME).plus(MARGIN));
    sessions.put(run, session);
    return session;
  }

  boolean exists(String run) {
    return sessions.containsKey(run);
  }

  int count() {
    return sessions.size();
  }

  /** Its renewals get lost from now on. */
  void cutOff(String run) {
    Session session = sessions.get(run);
    if (session != null) {
      session.cutOff = true;
    }
  }

  void end(String run) {
    sessions.remove(run);
  }

  /**
   * Lets time pass: those who can renew their sessions do, and what was not renewed in time ends.
   *
   * @return the runs whose sessions have ended
   */
  synchronized List<String> pass(Duration time) {
    now = now.plus(time);
    List<String> ended = new ArrayList<>();
    sessions.forEach(
        (run, session) -> {
          if (!session.cutOff) {
            session.renewedNanos = session.clock.nanos();
            session.ends = now.plus(TIME).plus(MARGIN);
          } else if (session.ends.compareTo(now) <= 0) {
            ended.add(run);
          }
        });
    ended.forEach(sessions::remove);
    return ended;
  }
}
