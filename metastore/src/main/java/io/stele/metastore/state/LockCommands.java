package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Command.Acquire;
import io.stele.metastore.command.Command.EndDelay;
import io.stele.metastore.command.Command.EndGrant;
import io.stele.metastore.command.Command.EndWait;
import io.stele.metastore.command.Command.Release;
import io.stele.metastore.command.Origin;
import io.stele.metastore.key.PathKey;
import io.stele.metastore.lock.LockDecision;
import io.stele.metastore.lock.LockRequest;
import io.stele.metastore.state.AccessRules.Right;
import java.util.Optional;

/** Locks are asked for and given back. Both kinds need the right to write the key. */
final class LockCommands {
  private final StateTables tables;

  LockCommands(StateTables tables) {
    this.tables = tables;
  }

  Answer acquire(Acquire command, Effects effects) {
    Origin origin = command.origin();
    Optional<Answer> refused = refusal(origin, command.key());
    if (refused.isPresent()) {
      return refused.get();
    }
    if (command.delay().isNegative()) {
      return new Refused(
          Kind.INVALID, "lock delay of " + command.delay() + ": must not be negative");
    }
    LockRequest request =
        new LockRequest(
            origin.session(),
            origin.sequence(),
            command.exclusive(),
            command.patience(),
            command.delay());
    return decided(tables.locks.acquire(command.key(), request, effects.txn()), effects);
  }

  Answer release(Release command, Effects effects) {
    Origin origin = command.origin();
    return origin.session() == 0
        ? withoutSession(command.key())
        : decided(
            tables.locks.release(
                command.key(), origin.session(), effects.txn(), tables.sessions::lives),
            effects);
  }

  Answer endWait(EndWait command, Effects effects) {
    return decided(
        tables.locks.endWait(
            command.key(),
            command.session(),
            command.sequence(),
            effects.txn(),
            tables.sessions::lives),
        effects);
  }

  Answer endDelay(EndDelay command, Effects effects) {
    return decided(
        tables.locks.endDelay(
            command.key(), command.token(), effects.txn(), tables.sessions::lives),
        effects);
  }

  /** Asked again, the request hears that it did not get the lock. */
  Answer endGrant(EndGrant command, Effects effects) {
    LockDecision decision =
        tables.locks.endGrant(
            command.key(),
            command.session(),
            command.token(),
            effects.txn(),
            tables.sessions::lives);
    if (decision.changed()) {
      effects.keepUnlessOutdated(
          command.session(),
          command.sequence(),
          new Refused(Kind.LOCKED, "lock " + command.key() + ": its caller was gone"));
    }
    return decided(decision, effects);
  }

  private static Answer decided(LockDecision decision, Effects effects) {
    effects.lock(decision);
    return decision.answer();
  }

  private Optional<Answer> refusal(Origin origin, Bytes key) {
    if (origin.session() == 0) {
      return Optional.of(withoutSession(key));
    }
    Optional<String> problem = PathKey.problem(key);
    if (problem.isPresent()) {
      return Optional.of(new Refused(Kind.INVALID, problem.get()));
    }
    return tables
        .rules()
        .denial(origin.principal(), key, Right.WRITE)
        .map(message -> new Refused(Kind.DENIED, message));
  }

  private static Answer withoutSession(Bytes key) {
    return new Refused(Kind.INVALID, "lock " + key + ": only a session can hold a lock; open one");
  }
}
