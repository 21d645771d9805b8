package io.stele.cli;

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

/** What {@code stele} ends with; {@code stele --help} lists them for users. */
public final class ExitCode {

  /** The command did what it was asked to. */
  public static final int OK = 0;

  /** The command was understood and failed. */
  public static final int FAILURE = 1;

  /** The command was not understood, and nothing was done. */
  public static final int USAGE = 2;

  /** What it was about does not exist. */
  public static final int NOT_FOUND = 3;

  /** A condition did not hold, or somebody else was first; nothing was changed. */
  public static final int CONFLICT = 4;

  /** The one who asked has no right to. */
  public static final int DENIED = 5;

  /** Nobody could be asked, or nobody could answer now; the same may succeed later. */
  public static final int UNAVAILABLE = 6;

  /** It may or may not have been done: look before repeating it. */
  public static final int OUTCOME_UNKNOWN = 7;

  /** Whoever read the output went away: what shells report of a program that SIGPIPE ended. */
  public static final int OUTPUT_GONE = 141;

  private ExitCode() {}

  /** What a command ends with after this failure. */
  public static int of(Exception failure) {
    return failure instanceof SteleException known ? ofKind(known) : FAILURE;
  }

  private static int ofKind(SteleException failure) {
    return switch (failure) {
      case InvalidRequestException _ -> USAGE;
      case NotFoundException _ -> NOT_FOUND;
      case ConflictException _, FencedException _ -> CONFLICT;
      case DeniedException _ -> DENIED;
      case UnavailableException _, NotServingException _, ExhaustedException _ -> UNAVAILABLE;
      case OutcomeUnknownException _ -> OUTCOME_UNKNOWN;
      case CorruptDataException _ -> FAILURE;
    };
  }
}
