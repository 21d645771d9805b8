package io.stele.metastore.state;

import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.engine.Scan;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.RefusedException;
import io.stele.metastore.session.KeptAnswer;
import io.stele.metastore.session.Session;
import java.util.Optional;

/**
 * Tells requests that come for the first time from those that come again.
 *
 * <p>Every answer to a sequenced request that could change something is kept, refusals included: a
 * copy of a request that was refused may still be under way, and must not succeed behind the back
 * of a caller who was told that it had failed.
 */
final class Requests {
  private final StateTables tables;

  Requests(StateTables tables) {
    this.tables = tables;
  }

  /** The answer to a request that is not to be done: its session is gone, or it was done before. */
  Optional<Answer> settled(Origin origin) {
    if (origin.session() == 0) {
      return Optional.empty();
    }
    Optional<Refused> refused = refusal(origin.principal(), origin.session());
    if (refused.isPresent()) {
      return Optional.of(refused.get());
    }
    long newest =
        tables
            .sessions
            .newestSequence(origin.session())
            .orElseGet(() -> findNewest(origin.session()));
    return origin.sequence() > newest ? Optional.empty() : kept(origin);
  }

  /** What was answered to a request, for its owner, on any thread. */
  Optional<Answer> keptFor(Origin origin) {
    Optional<Refused> refused = refusal(origin.principal(), origin.session());
    if (refused.isPresent()) {
      throw new RefusedException(refused.get().kind(), refused.get().message());
    }
    return kept(origin);
  }

  /** What was answered to a request; nothing if it has not been done. */
  private Optional<Answer> kept(Origin origin) {
    Bytes row = Rows.session(origin.session());
    Optional<Bytes> stored = tables.store.get(row, Rows.OTHERS, Rows.place(origin.sequence()));
    if (stored.isEmpty()) {
      return Optional.empty();
    }
    KeptAnswer kept;
    try {
      kept = KeptAnswer.decode(stored.get());
    } catch (Malformed e) {
      throw Rows.corrupt(row, e);
    }
    if (kept.sequence() == origin.sequence()) {
      return Optional.of(kept.answer());
    }
    return kept.sequence() < origin.sequence()
        ? Optional.empty()
        : Optional.of(
            new Refused(
                Kind.UNKNOWN,
                "request "
                    + origin.sequence()
                    + " of session "
                    + origin.session()
                    + " came "
                    + (kept.sequence() - origin.sequence())
                    + " requests late: whether it was done is no longer known"));
  }

  /** Why a principal cannot use a session, if it cannot. */
  Optional<Refused> refusal(String principal, long session) {
    Optional<Session> found = tables.sessions.get(session);
    if (found.isEmpty()) {
      return Optional.of(
          new Refused(Kind.SESSION_GONE, "session " + session + " is gone, or never was"));
    }
    return found.get().principal().equals(principal)
        ? Optional.empty()
        : Optional.of(
            new Refused(
                Kind.DENIED,
                "session " + session + " belongs to another principal than \"" + principal + "\""));
  }

  private long findNewest(long session) {
    long newest = 0;
    try (Scan scan = scanRow(session)) {
      while (scan.next()) {
        CellView cell = scan.cell();
        if (cell.qualifierLength > 0) {
          newest =
              Math.max(
                  newest,
                  KeptAnswer.sequenceOf(cell.valueArray, cell.valueOffset, cell.valueLength));
        }
      }
    } catch (Malformed e) {
      throw Rows.corrupt(Rows.session(session), e);
    }
    tables.sessions.setNewestSequence(session, newest);
    return newest;
  }

  /** Erases the session's row: itself, and all answers that were kept for it. */
  void erase(long session, Effects effects) {
    Bytes row = Rows.session(session);
    try (Scan scan = scanRow(session)) {
      while (scan.next()) {
        effects.erase(row, scan.cell().qualifier());
      }
    }
  }

  private Scan scanRow(long session) {
    return tables.store.scan(ReadPredicate.rows(RowRange.row(Rows.session(session))));
  }
}
