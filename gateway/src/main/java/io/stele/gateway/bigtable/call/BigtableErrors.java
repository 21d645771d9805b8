package io.stele.gateway.bigtable.call;

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
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * The one place where errors become those of Bigtable's API. Clients know them by their code: they
 * repeat {@code UNAVAILABLE} and {@code DEADLINE_EXCEEDED}, the latter only what may be done twice.
 */
public final class BigtableErrors {
  private BigtableErrors() {}

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
    return found instanceof StatusRuntimeException known
        ? known
        : status(found).asRuntimeException();
  }

  /** The same for one entry of many. */
  public static com.google.rpc.Status entry(Throwable problem) {
    Status status = status(cause(problem));
    String text = status.getDescription();
    return com.google.rpc.Status.newBuilder()
        .setCode(status.getCode().value())
        .setMessage(text == null ? "" : text)
        .build();
  }

  private static Status status(Throwable found) {
    return switch (found) {
      case StatusRuntimeException known -> known.getStatus();
      case StatusException known -> known.getStatus();
      case SteleException known ->
          code(known).toStatus().withDescription(known.getMessage()).withCause(known);
      default ->
          Status.INTERNAL
              .withDescription(Defects.ofProcess().answer("Bigtable's API", found))
              .withCause(found);
    };
  }

  private static Status.Code code(SteleException problem) {
    return switch (problem) {
      case ConflictException _ -> Status.Code.ABORTED;
      case CorruptDataException _ -> Status.Code.DATA_LOSS;
      case DeniedException _ -> Status.Code.PERMISSION_DENIED;
      case InvalidRequestException _ -> Status.Code.INVALID_ARGUMENT;
      case NotFoundException _ -> Status.Code.NOT_FOUND;
      case OutcomeUnknownException _ -> Status.Code.DEADLINE_EXCEEDED;
      // A writer who must slow down comes again later by itself only at this code.
      case ExhaustedException _, FencedException _, NotServingException _, UnavailableException _ ->
          Status.Code.UNAVAILABLE;
    };
  }
}
