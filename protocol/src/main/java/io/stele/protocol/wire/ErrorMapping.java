package io.stele.protocol.wire;

import io.grpc.Metadata;
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
import io.stele.protocol.v1.TableError;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Stele's kinds of errors as gRPC statuses, and back: the only place that knows both.
 *
 * <p>The status is for foreign clients; ours go by the trailer {@code stele-error}, since two kinds
 * may share a status. An error without that trailer was not answered by a server of ours: it comes
 * from the connection.
 *
 * <pre>
 * stele-error      status
 * CONFLICT         ABORTED
 * CORRUPT_DATA     DATA_LOSS
 * DENIED           PERMISSION_DENIED
 * EXHAUSTED        RESOURCE_EXHAUSTED
 * FENCED           FAILED_PRECONDITION
 * INVALID_REQUEST  INVALID_ARGUMENT
 * NOT_FOUND        NOT_FOUND
 * NOT_SERVING      UNAVAILABLE, and stele-leader where it is known
 * OUTCOME_UNKNOWN  UNKNOWN
 * UNAVAILABLE      UNAVAILABLE
 * (a defect)       INTERNAL, without the trailer
 * </pre>
 */
public final class ErrorMapping {
  private static final String DEFECT = "DEFECT";

  /** What gRPC says when the other side has closed a new connection. */
  private static final String CUT_OFF = "Network closed for unknown reason";

  private static final String TLS_PERHAPS = " (a server with TLS does that to a client without)";

  private ErrorMapping() {}

  /** What to answer a call that failed. */
  public static StatusRuntimeException toStatus(Throwable problem) {
    Throwable found = unwrap(problem);
    if (found instanceof StatusRuntimeException status) {
      return status;
    }
    if (!(found instanceof SteleException error)) {
      return Status.INTERNAL
          .withDescription(Defects.ofProcess().answer("the native interface", found))
          .withCause(found)
          .asRuntimeException();
    }
    Metadata trailers = new Metadata();
    trailers.put(WireHeaders.ERROR, kind(error));
    if (error instanceof NotServingException elsewhere) {
      elsewhere.hint().ifPresent(leader -> trailers.put(WireHeaders.LEADER, leader));
    }
    Status status =
        switch (error) {
          case ConflictException e -> Status.ABORTED;
          case CorruptDataException e -> Status.DATA_LOSS;
          case DeniedException e -> Status.PERMISSION_DENIED;
          case ExhaustedException e -> Status.RESOURCE_EXHAUSTED;
          case FencedException e -> Status.FAILED_PRECONDITION;
          case InvalidRequestException e -> Status.INVALID_ARGUMENT;
          case NotFoundException e -> Status.NOT_FOUND;
          case NotServingException e -> Status.UNAVAILABLE;
          case OutcomeUnknownException e -> Status.UNKNOWN;
          case UnavailableException e -> Status.UNAVAILABLE;
        };
    return status.withDescription(text(error)).asRuntimeException(trailers);
  }

  /** The name of an error's kind. */
  private static String kind(SteleException error) {
    return switch (error) {
      case ConflictException e -> "CONFLICT";
      case CorruptDataException e -> "CORRUPT_DATA";
      case DeniedException e -> "DENIED";
      case ExhaustedException e -> "EXHAUSTED";
      case FencedException e -> "FENCED";
      case InvalidRequestException e -> "INVALID_REQUEST";
      case NotFoundException e -> "NOT_FOUND";
      case NotServingException e -> "NOT_SERVING";
      case OutcomeUnknownException e -> "OUTCOME_UNKNOWN";
      case UnavailableException e -> "UNAVAILABLE";
    };
  }

  private static String text(SteleException error) {
    String message = error.getMessage();
    return message == null ? error.toString() : message;
  }

  /** What to answer one of many operations that share a call. */
  public static TableError toMessage(Throwable problem) {
    Throwable found = unwrap(problem);
    if (!(found instanceof SteleException error)) {
      return TableError.newBuilder()
          .setKind(DEFECT)
          .setMessage(Defects.ofProcess().answer("operations on rows", found))
          .build();
    }
    TableError.Builder message =
        TableError.newBuilder().setKind(kind(error)).setMessage(text(error));
    if (error instanceof NotServingException elsewhere) {
      elsewhere.hint().ifPresent(message::setHint);
    }
    return message.build();
  }

  /**
   * The error of one of many operations that share a call. After a defect, nobody knows what was
   * done.
   */
  public static SteleException fromMessage(String where, TableError error) {
    return error.getKind().equals(DEFECT)
        ? new OutcomeUnknownException(where + ": " + error.getMessage())
        : fromKind(
            where, error.getKind(), error.getMessage(), error.hasHint() ? error.getHint() : null);
  }

  /** Whether a server of ours said this, rather than the connection to it. */
  public static boolean isAnswer(@Nullable Metadata trailers) {
    return trailers != null && trailers.containsKey(WireHeaders.ERROR);
  }

  /**
   * Whether a call that the connection failed certainly never reached the server, as there was no
   * connection, or the two sides did not accept each other's certificates.
   */
  public static boolean neverSent(Status status) {
    for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException
          || cause instanceof UnknownHostException
          || cause instanceof SSLHandshakeException) {
        return true;
      }
    }
    return false;
  }

  /**
   * The error behind a failed call.
   *
   * @param where the address that was called
   */
  public static SteleException fromStatus(
      String where, Status status, @Nullable Metadata trailers) {
    String said = status.getDescription();
    String message = said == null ? status.getCode().toString() : said;
    String kind = trailers == null ? null : trailers.get(WireHeaders.ERROR);
    if (trailers == null || kind == null) {
      return fromConnection(where, status, message);
    }
    return fromKind(where, kind, message, trailers.get(WireHeaders.LEADER));
  }

  private static SteleException fromKind(
      String where, String kind, String message, @Nullable String hint) {
    return switch (kind) {
      case "CONFLICT" -> new ConflictException(message);
      case "CORRUPT_DATA" -> new CorruptDataException(where, 0, "sound data", message);
      case "DENIED" -> new DeniedException(message);
      case "EXHAUSTED" -> new ExhaustedException(message);
      case "FENCED" -> new FencedException(message);
      case "INVALID_REQUEST" -> new InvalidRequestException(message);
      case "NOT_FOUND" -> new NotFoundException(message);
      case "NOT_SERVING" -> new NotServingException(message, hint);
      case "OUTCOME_UNKNOWN" -> new OutcomeUnknownException(message);
      default -> new UnavailableException(message);
    };
  }

  /** The error behind a failed call, as it was thrown. */
  public static SteleException fromThrown(String where, Throwable problem) {
    Throwable found = unwrap(problem);
    return switch (found) {
      case SteleException error -> error;
      case StatusRuntimeException error ->
          fromStatus(where, error.getStatus(), error.getTrailers());
      case StatusException error -> fromStatus(where, error.getStatus(), error.getTrailers());
      default -> new UnavailableException(where + ": " + found, found);
    };
  }

  private static SteleException fromConnection(String where, Status status, String message) {
    String text = where + ": " + message + (message.equals(CUT_OFF) ? TLS_PERHAPS : "");
    return switch (status.getCode()) {
      case INVALID_ARGUMENT, OUT_OF_RANGE, UNIMPLEMENTED -> new InvalidRequestException(text);
      case RESOURCE_EXHAUSTED -> new ExhaustedException(text);
      case PERMISSION_DENIED, UNAUTHENTICATED -> new DeniedException(text);
      default -> {
        Throwable cause = status.getCause();
        String why = cause == null || cause.getMessage() == null ? "" : ": " + cause.getMessage();
        yield new UnavailableException(text + why, cause);
      }
    };
  }

  private static Throwable unwrap(Throwable problem) {
    Throwable found = problem;
    while ((found instanceof CompletionException || found instanceof ExecutionException)
        && found.getCause() != null) {
      found = found.getCause();
    }
    return found;
  }
}
