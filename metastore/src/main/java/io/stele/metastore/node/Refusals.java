package io.stele.metastore.node;

import io.stele.base.error.ConflictException;
import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.RefusedException;
import java.util.function.Supplier;

/** The one place where what the state refuses becomes an error that callers know. */
final class Refusals {
  private Refusals() {}

  static SteleException of(Answer.Refused refused) {
    String message = refused.message();
    return switch (refused.kind()) {
      case ABORTED, LOCKED -> new ConflictException(message);
      case LEASE_EXISTS -> new ConflictException(message, cause(refused));
      case COMPACTED, LEASE_ABSENT -> new NotFoundException(message, cause(refused));
      case KEY_ABSENT, FUTURE_REVISION -> new InvalidRequestException(message, cause(refused));
      case NOT_FOUND, SESSION_GONE -> new NotFoundException(message);
      case DENIED -> new DeniedException(message);
      case EXHAUSTED, NO_SPACE -> new ExhaustedException(message, cause(refused));
      case FENCED -> new FencedException(message);
      case INVALID -> new InvalidRequestException(message);
      case UNKNOWN -> new OutcomeUnknownException(message);
    };
  }

  private static RefusedException cause(Answer.Refused refused) {
    return new RefusedException(refused.kind(), refused.message());
  }

  /** Reads the state. */
  static <T> T reading(Supplier<T> read) {
    try {
      return read.get();
    } catch (RefusedException e) {
      throw of(e.refused());
    }
  }
}
