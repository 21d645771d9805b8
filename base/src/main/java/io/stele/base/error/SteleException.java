package io.stele.base.error;

import org.jspecify.annotations.Nullable;

/**
 * The root of every failure that crosses a public interface of Stele.
 *
 * <p>The kinds answer one question, "what may the caller do now?", and nothing else; what went
 * wrong is in the message, which names the thing, the value found and what would have been right.
 * Each gateway maps the kinds to its protocol's codes in one place, by a {@code switch} over this
 * sealed family.
 */
public abstract sealed class SteleException extends RuntimeException
    permits ConflictException,
        CorruptDataException,
        DeniedException,
        ExhaustedException,
        FencedException,
        InvalidRequestException,
        NotFoundException,
        NotServingException,
        OutcomeUnknownException,
        UnavailableException {

  private static final long serialVersionUID = 1L;

  SteleException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** True where the same request may succeed later, here or elsewhere, without being changed. */
  public abstract boolean retryable();
}
