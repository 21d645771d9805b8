package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.ReadPredicate;
import io.stele.engine.Scan;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Command.CloseSession;
import io.stele.metastore.command.Command.ExpireSession;
import io.stele.metastore.command.Command.OpenSession;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.session.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Sessions begin and end. */
final class SessionCommands {
  private static final int MAX_TEXT = 1024;

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
    if (!command.timeToLive().isPositive()) {
      return new Refused(
          Kind.INVALID,
          "session with a time to live of " + command.timeToLive() + ": must be positive");
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
    List<Bytes> keys = ephemeralKeys(id);
    for (Bytes key : keys) {
      KeyValue before = tables.current(key).orElseThrow();
      effects.change(StoredVersion.deletion(key, effects.revision()), Optional.of(before));
    }
    if (!keys.isEmpty()) {
      effects.endRevision();
    }
    requests.erase(id, effects);
    for (Bytes key : keys) {
      effects.erase(Rows.ephemeral(id, key));
    }
    for (Bytes key : tables.locks.of(id)) {
      effects.lock(
          tables.locks.endSession(
              key,
              id,
              expired,
              effects.txn(),
              other -> other != id && tables.sessions.lives(other)));
    }
    effects.then(() -> tables.sessions.remove(session));
    return new Answer.Done();
  }

  private List<Bytes> ephemeralKeys(long session) {
    List<Bytes> keys = new ArrayList<>();
    try (Scan scan = tables.store.scan(ReadPredicate.rows(Rows.ephemerals(session)))) {
      while (scan.next()) {
        keys.add(Rows.bytesBehind(scan.cell(), 1));
      }
    }
    return keys;
  }
}
