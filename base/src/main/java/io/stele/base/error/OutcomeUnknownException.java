package io.stele.base.error;

import org.jspecify.annotations.Nullable;

/** The request may or may not have been carried out: look before repeating it. */
public final class OutcomeUnknownException extends SteleException {
  private static final long serialVersionUID = 1L;

  public OutcomeUnknownException(String message) {
    this(message, null);
  }

  public OutcomeUnknownException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  @Override
  public boolean retryable() {
    return false;
  }
}
