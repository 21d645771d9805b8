package io.stele.gateway.etcd.call;

import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Defects;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.RefusedException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** The one place where errors become etcd's. */
public final class EtcdErrors {
  private EtcdErrors() {}

  /** What was thrown, out of what futures wrap it in. */
  public static Throwable cause(Throwable problem) {
    Throwable found = problem;
    while ((found instanceof CompletionException || found instanceof ExecutionException)
        && found.getCause() != null) {
      found = found.getCause();
    }
    return found;
  }

  public static StatusRuntimeException of(Throwable problem) {
    Throwable found = cause(problem);
    return switch (found) {
      case StatusRuntimeException known -> known;
      case StatusException known -> known.getStatus().asRuntimeException();
      case SteleException known -> status(known).withCause(known).asRuntimeException();
      default ->
          Status.INTERNAL
              .withDescription("etcdserver: " + Defects.ofProcess().answer("etcd's API", found))
              .withCause(found)
              .asRuntimeException();
    };
  }

  private static Status status(SteleException problem) {
    Optional<EtcdError> precise = kind(problem).flatMap(EtcdErrors::known);
    if (precise.isPresent()) {
      return precise.get().status();
    }
    return switch (problem) {
      case NotServingException _ -> EtcdError.NO_LEADER.status();
      case OutcomeUnknownException _ -> EtcdError.TIMEOUT.status();
      case UnavailableException _ -> EtcdError.STOPPED.status();
      case ExhaustedException _ -> EtcdError.TOO_MANY_REQUESTS.status();
      case DeniedException _ -> EtcdError.PERMISSION_DENIED.status();
      case CorruptDataException _ -> EtcdError.CORRUPT.status();
      case ConflictException e -> own(Status.FAILED_PRECONDITION, e);
      case FencedException e -> own(Status.FAILED_PRECONDITION, e);
      case NotFoundException e -> own(Status.NOT_FOUND, e);
      case InvalidRequestException e -> own(Status.INVALID_ARGUMENT, e);
    };
  }

  /** What etcd has no text for, in our own words. */
  private static Status own(Status status, SteleException problem) {
    return status.withDescription("etcdserver: " + problem.getMessage());
  }

  /** What the metastore's state said, if it was that which refused. */
  public static Optional<Answer.Kind> kind(Throwable problem) {
    return cause(problem).getCause() instanceof RefusedException refused
        ? Optional.of(refused.refused().kind())
        : Optional.empty();
  }

  private static Optional<EtcdError> known(Answer.Kind kind) {
    return switch (kind) {
      case COMPACTED -> Optional.of(EtcdError.COMPACTED);
      case FUTURE_REVISION -> Optional.of(EtcdError.FUTURE_REVISION);
      case KEY_ABSENT -> Optional.of(EtcdError.KEY_NOT_FOUND);
      case LEASE_ABSENT -> Optional.of(EtcdError.LEASE_NOT_FOUND);
      case LEASE_EXISTS -> Optional.of(EtcdError.LEASE_EXISTS);
      case EXHAUSTED -> Optional.of(EtcdError.TOO_LARGE);
      case NO_SPACE -> Optional.of(EtcdError.NO_SPACE);
      case ABORTED, DENIED, FENCED, INVALID, LOCKED, NOT_FOUND, SESSION_GONE, UNKNOWN ->
          Optional.empty();
    };
  }
}
