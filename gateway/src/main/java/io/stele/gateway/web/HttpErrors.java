package io.stele.gateway.web;

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

/** The one place where kinds of errors become HTTP status codes. */
public final class HttpErrors {
  private HttpErrors() {}

  public static int status(SteleException problem) {
    return switch (problem) {
      case InvalidRequestException _ -> 400;
      case DeniedException _ -> 403;
      case NotFoundException _ -> 404;
      case ConflictException _ -> 409;
      case ExhaustedException _ -> 429;
      case CorruptDataException _, FencedException _, OutcomeUnknownException _ -> 500;
      case NotServingException _, UnavailableException _ -> 503;
    };
  }
}
