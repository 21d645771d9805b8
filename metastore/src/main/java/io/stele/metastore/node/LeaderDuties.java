package io.stele.metastore.node;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.DeniedException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.event.Events;
import io.stele.base.time.Clock;
import io.stele.metastore.Alarms;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.lease.Lease;
import io.stele.metastore.session.Session;
import io.stele.metastore.state.MetastoreState;
import io.stele.metastore.txn.TransactionTable;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * What only the leader does, because it depends on time: it ends sessions, waits, delays and
 * transactions whose time is over, and forgets old history. Each end is a command in the log, so
 * that all members agree on it.
 *
 * <p>All deadlines begin anew with each leader, which can only prolong them: nobody may be taken
 * for dead because of a clock that he did not know.
 */
final class LeaderDuties {
  /** After which a command whose effect has not come is proposed again. */
  private static final Duration REPEAT = Duration.ofSeconds(2);

  /** A leader that looks so much later than it meant to has been asleep, and heard nobody. */
  private static final long ASLEEP_NANOS = Duration.ofSeconds(1).toNanos();

  /** How often the state is asked for what has no deadline yet, lest anything lives for ever. */
  private static final long ADOPTION_NANOS = Duration.ofSeconds(5).toNanos();

  private final NodeSettings settings;
  private final Clock clock;
  private final MetastoreState state;
  private final Proposer proposer;
  private final TransactionTable transactions;
  private final HistoryRetention history;
  private final VersionDuty version;
  private final FingerprintDuty fingerprints;
  private final Events events;
  private final Supplier<String> self; // the id of this member
  private final SessionLeases sessions = new SessionLeases(REPEAT);
  private final SessionLeases leases = new SessionLeases(REPEAT);
  private final LockDeadlines locks = new LockDeadlines(REPEAT);
  private volatile boolean leading;
  private volatile long term; // in which it leads, or led last
  private volatile long lastTick;
  private volatile long lastAdoption;
  private volatile long lastAlarm;

  LeaderDuties(
      NodeSettings settings,
      Clock clock,
      MetastoreState state,
      Proposer proposer,
      TransactionTable transactions,
      HistoryRetention history,
      VersionDuty version,
      FingerprintDuty fingerprints,
      Events events,
      Supplier<String> self) {
    this.self = self;
    this.settings = settings;
    this.clock = clock;
    this.state = state;
    this.proposer = proposer;
    this.transactions = transactions;
    this.history = history;
    this.version = version;
    this.fingerprints = fingerprints;
    this.events = events;
  }

  boolean isLeading() {
    return leading;
  }

  SessionLeases sessions() {
    return sessions;
  }

  LockDeadlines locks() {
    return locks;
  }

  // ---- told by the thread that applies the log

  void leads(long term) {
    long now = clock.nanos();
    Map<Long, Duration> alive = alive();
    sessions.leads(alive, now);
    leases.leads(leasesAlive(), now);
    locks.clear();
    locks.adopt(state.waiting(), state.delays(), now);
    transactions.leads(term);
    history.leads(now);
    version.leads(now);
    fingerprints.leads(now);
    lastTick = now;
    lastAdoption = now;
    lastAlarm = now - REPEAT.toNanos();
    this.term = term;
    leading = true;
    events.publish(new NodeEvent.DutiesTaken(term, alive.size()));
  }

  void follows() {
    leading = false;
    sessions.follows();
    leases.follows();
    locks.clear();
    transactions.follows();
  }

  private Map<Long, Duration> alive() {
    Map<Long, Duration> alive = new HashMap<>();
    state.sessions().forEach(session -> alive.put(session.id(), session.timeToLive()));
    return alive;
  }

  private Map<Long, Duration> leasesAlive() {
    Map<Long, Duration> alive = new HashMap<>();
    state.leases().forEach(lease -> alive.put(lease.id(), lease.timeToLive()));
    return alive;
  }

  void leaseGranted(long lease, Duration time) {
    leases.renew(lease, time, clock.nanos());
  }

  void leaseEnded(long lease) {
    leases.ended(lease);
  }

  void sessionOpened(long session, Duration time) {
    sessions.renew(session, time, clock.nanos());
  }

  void sessionEnded(long session, boolean expired) {
    sessions.ended(session);
    if (expired && leading) {
      locks.delayed(state.delays(), clock.nanos());
      events.publish(new NodeEvent.SessionExpired(session));
    }
  }

  void lockQueued(LockWaits.Request request, Duration patience) {
    if (leading) {
      locks.queued(request, patience, clock.nanos());
    }
  }

  // ---- asked by callers

  /** Gives a session its full time again. Only after a read barrier. */
  Duration renew(String principal, long id) {
    Session session =
        state
            .session(id)
            .orElseThrow(() -> new NotFoundException("session " + id + " has ended, or never was"));
    if (!session.principal().equals(principal)) {
      throw new DeniedException("session " + id + " is not one of \"" + principal + "\"");
    }
    if (!leading) {
      throw notLeading("session " + id + " not renewed");
    }
    return switch (sessions.renew(id, session.timeToLive(), clock.nanos())) {
      case DONE -> session.timeToLive();
      case ENDING -> throw new NotFoundException("session " + id + " is expiring");
      case NOT_LEADING -> throw notLeading("session " + id + " not renewed");
    };
  }

  /** Gives a lease its full time again. Only after a read barrier. */
  Duration renewLease(long id) {
    Lease lease = livingLease(id);
    return switch (leases.renew(id, lease.timeToLive(), clock.nanos())) {
      case DONE -> lease.timeToLive();
      case ENDING -> throw leaseAbsent(id);
      case NOT_LEADING -> throw notLeading("lease " + id + " not renewed");
    };
  }

  /** How long a lease has yet. Only after a read barrier. */
  Duration remaining(long id) {
    livingLease(id);
    OptionalLong nanos = leases.remaining(id, clock.nanos());
    if (nanos.isEmpty()) {
      throw leading ? leaseAbsent(id) : notLeading("lease " + id + " not looked at");
    }
    return Duration.ofNanos(nanos.getAsLong());
  }

  private Lease livingLease(long id) {
    Lease lease = state.lease(id).orElseThrow(() -> leaseAbsent(id));
    if (!leading) {
      throw notLeading("lease " + id + " not renewed");
    }
    return lease;
  }

  private static NotServingException notLeading(String what) {
    return new NotServingException(what + ": this member leads no longer");
  }

  private static SteleException leaseAbsent(long id) {
    return Refusals.of(
        new Answer.Refused(
            Answer.Kind.LEASE_ABSENT, "lease " + id + " has ended, is ending, or never was"));
  }

  // ---- from time to time

  /** Proposes what is due. One thread at a time. */
  void tick() {
    if (!leading) {
      return;
    }
    // Read before the deadlines: those of another term are not its own. Older members know of none.
    long decided = state.version() < 2 ? 0 : term;
    long now = clock.nanos();
    if (!settings.tick().isZero()) {
      allowForSleep(now);
    }
    lastTick = now;
    if (now - lastAdoption >= ADOPTION_NANOS) {
      lastAdoption = now;
      sessions.adopt(alive(), now);
      leases.adopt(leasesAlive(), now);
      locks.adopt(state.waiting(), state.delays(), now);
    }
    for (long session : sessions.due(now)) {
      if (state.session(session).isPresent()) {
        propose(new Command.ExpireSession(session, decided));
      } else {
        sessions.ended(session);
      }
    }
    for (long lease : leases.due(now)) {
      if (state.lease(lease).isPresent()) {
        propose(new Command.ExpireLease(lease, decided));
      } else {
        leases.ended(lease);
      }
    }
    locks.dueWaits(now).forEach(this::endWait);
    for (LockDeadlines.Delay delay : locks.dueDelays(now)) {
      propose(new Command.EndDelay(delay.key(), delay.token()));
    }
    transactions.expire();
    history.tick(now);
    version.tick(now);
    fingerprints.tick(now);
    watchSize(now);
  }

  /** Raises the alarm when the state has become too large; it stays until it is disarmed. */
  private void watchSize(long now) {
    long quota = settings.limits().quota().bytes();
    if (quota == 0
        || state.version() < 2
        || state.noSpace()
        || now - lastAlarm < REPEAT.toNanos()) {
      return;
    }
    long bytes = state.bytesInUse();
    if (bytes > quota) {
      lastAlarm = now;
      propose(
          new Command.Transact(
              Origin.of(Origin.LEADER),
              Transaction.of(
                  new Operation.Put(Alarms.NO_SPACE, Bytes.utf8(self.get()), 0, false))));
      events.publish(new NodeEvent.NoSpace(bytes, quota));
    }
  }

  void endWait(LockWaits.Request request) {
    propose(new Command.EndWait(request.key(), request.session(), request.sequence()));
  }

  /** The grant of a request reached nobody. */
  void endGrant(LockWaits.Request request, long token) {
    if (state.version() < 2) {
      return; // members could not apply it: the lock ends with its session
    }
    propose(new Command.EndGrant(request.key(), request.session(), request.sequence(), token));
  }

  /** What comes of it is seen when it is applied; if nothing comes, it is proposed again. */
  private void propose(Command command) {
    var _ = proposer.propose(command);
  }

  private void allowForSleep(long now) {
    long late = now - lastTick - settings.tick().toNanos();
    if (late > ASLEEP_NANOS) {
      sessions.extend(late);
      leases.extend(late);
      events.publish(new NodeEvent.Paused(late / 1_000_000));
    }
  }
}
