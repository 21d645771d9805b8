package io.stele.gateway.metric;

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
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** How a request ended, in the same words for all protocols: those of the kinds of errors. */
public enum Outcome {
  OK,
  /** The client went away, or set a deadline that passed. */
  CANCELLED,
  CONFLICT,
  CORRUPT,
  /** An exception that nobody expected. */
  DEFECT,
  DENIED,
  EXHAUSTED,
  FENCED,
  INVALID,
  NOT_FOUND,
  NOT_SERVING,
  UNAVAILABLE,
  UNKNOWN;

  private final String label = name().toLowerCase(Locale.ROOT);

  public String label() {
    return label;
  }

  /** Of what an operation failed with; none for a success. */
  public static Outcome of(@Nullable Throwable problem) {
    Throwable found = problem;
    while ((found instanceof CompletionException || found instanceof ExecutionException)
        && found.getCause() != null) {
      found = found.getCause();
    }
    return switch (found) {
      case null -> OK;
      case SteleException known -> of(known);
      case StatusRuntimeException known -> of(known.getStatus().getCode());
      case StatusException known -> of(known.getStatus().getCode());
      default -> DEFECT;
    };
  }

  private static Outcome of(SteleException problem) {
    return switch (problem) {
      case ConflictException _ -> CONFLICT;
      case CorruptDataException _ -> CORRUPT;
      case DeniedException _ -> DENIED;
      case ExhaustedException _ -> EXHAUSTED;
      case FencedException _ -> FENCED;
      case InvalidRequestException _ -> INVALID;
      case NotFoundException _ -> NOT_FOUND;
      case NotServingException _ -> NOT_SERVING;
      case OutcomeUnknownException _ -> UNKNOWN;
      case UnavailableException _ -> UNAVAILABLE;
    };
  }

  public static Outcome of(Status.Code code) {
    return switch (code) {
      case OK -> OK;
      case CANCELLED, DEADLINE_EXCEEDED -> CANCELLED;
      case ABORTED, ALREADY_EXISTS -> CONFLICT;
      case DATA_LOSS -> CORRUPT;
      case INTERNAL -> DEFECT;
      case PERMISSION_DENIED, UNAUTHENTICATED -> DENIED;
      case RESOURCE_EXHAUSTED -> EXHAUSTED;
      case FAILED_PRECONDITION -> FENCED;
      case INVALID_ARGUMENT, OUT_OF_RANGE, UNIMPLEMENTED -> INVALID;
      case NOT_FOUND -> NOT_FOUND;
      case UNAVAILABLE -> UNAVAILABLE;
      case UNKNOWN -> UNKNOWN;
    };
  }

  /** Of an HTTP status. */
  public static Outcome of(int status) {
    if (status < 400) {
      return OK;
    }
    return switch (status) {
      case 403 -> DENIED;
      case 404 -> NOT_FOUND;
      case 409 -> CONFLICT;
      case 429 -> EXHAUSTED;
      case 500 -> DEFECT;
      case 501 -> NOT_SERVING;
      case 502, 503, 504 -> UNAVAILABLE;
      default -> INVALID;
    };
  }
}
