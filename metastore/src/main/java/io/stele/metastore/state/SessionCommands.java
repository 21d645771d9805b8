package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Command.CloseSession;
import io.stele.metastore.command.Command.ExpireSession;
import io.stele.metastore.command.Command.OpenSession;
import io.stele.metastore.lock.KeyLockInfo;
import io.stele.metastore.session.Session;
import java.util.List;
import java.util.Optional;

/** Sessions begin and end. */
final class SessionCommands {
  static final int MAX_TEXT = 1024;

  private final StateTables tables;
  private final Requests requests;

  SessionCommands(StateTables tables, Requests requests) {
    this.tables = tables;
    this.requests = requests;
  }

  Answer open(OpenSession command, Effects effects) {
    Optional<Session> same = tables.sessions.openedBy(command.requestId());
    if (same.isPresent()) {
      return same.get().principal().equals(command.principal())
          ? new Answer.SessionOpened(same.get().id(), same.get().timeToLive())
          : new Refused(
              Kind.DENIED, "request id " + command.requestId() + " is another principal's");
    }
    if (!command.timeToLive().isPositive()
        || command.timeToLive().compareTo(LeaseCommands.LONGEST) > 0) {
      return new Refused(
          Kind.INVALID,
          "session with a time to live of "
              + command.timeToLive()
              + ": must be positive, and at most "
              + LeaseCommands.LONGEST);
    }
    if (command.label().length() > MAX_TEXT
        || command.principal().length() > MAX_TEXT
        || command.requestId().length() > MAX_TEXT) {
      return new Refused(
          Kind.INVALID, "session whose principal, label or request id is longer than " + MAX_TEXT);
    }
    Session session =
        new Session(
            effects.txn(),
            command.principal(),
            command.timeToLive(),
            command.label(),
            command.requestId());
    effects.put(Rows.session(session.id()), session.encode());
    effects.then(
        () -> {
          tables.sessions.add(session);
          tables.sessions.setNewestSequence(session.id(), 0);
        });
    return new Answer.SessionOpened(session.id(), session.timeToLive());
  }

  Answer close(CloseSession command, Effects effects) {
    Optional<Refused> refused = requests.refusal(command.principal(), command.session());
    return refused.isPresent() ? refused.get() : end(command.session(), false, effects);
  }

  Answer expire(ExpireSession command, Effects effects) {
    return tables.sessions.lives(command.session())
        ? end(command.session(), true, effects)
        : new Refused(Kind.SESSION_GONE, "session " + command.session() + " is gone already");
  }

  /** Its keys go in one revision; its locks are freed, its requests for locks are refused. */
  private Answer end(long id, boolean expired, Effects effects) {
    Session session = tables.sessions.get(id).orElseThrow();
    List<Bytes> locks = tables.locks.of(id);
    Optional<Refused> tooMuch =
        hasLargeLocks(locks)
            ? Optional.of(OwnedKeys.tooMuch("session " + id))
            : OwnedKeys.delete(tables, Rows.ephemerals(id), "session " + id, effects);
    if (tooMuch.isPresent()) {
      return tooMuch.get();
    }
    for (Bytes key : locks) {
      endLock(tables, key, id, expired, effects.txn(), effects);
    }
    remove(tables, session, effects);
    return new Answer.Done();
  }

  /** Whether what becomes of the locks may be too much for one batch. */
  private boolean hasLargeLocks(List<Bytes> locks) {
    long bytes = 0;
    for (Bytes key : locks) {
      KeyLockInfo lock = tables.locks.get(key);
      bytes += 4L * key.length() + 128L * (1 + lock.holders().size() + lock.queue().size());
    }
    return tables.version() < 2
        ? bytes > OwnedKeys.FIRST_MOST_BYTES
        : locks.size() > tables.limits().changedKeys() || bytes > OwnedKeys.MOST_BYTES;
  }

  /** A lock goes on without a session that ends. */
  static void endLock(
      StateTables tables, Bytes key, long id, boolean expired, long token, Effects effects) {
    effects.lock(
        tables.locks.endSession(
            key, id, expired, token, other -> other != id && tables.sessions.lives(other)));
  }

  /** The session goes; its keys and locks have gone. */
  static void remove(StateTables tables, Session session, Effects effects) {
    new Requests(tables).erase(session.id(), effects);
    effects.then(() -> tables.sessions.remove(session));
  }
}
