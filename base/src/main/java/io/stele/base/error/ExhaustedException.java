package io.stele.base.error;

import org.jspecify.annotations.Nullable;

/** A bound was reached (a queue, memory, a quota): slow down, then retry. */
public final class ExhaustedException extends SteleException {
  private static final long serialVersionUID = 1L;

  public ExhaustedException(String message) {
    this(message, null);
  }

  public ExhaustedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  @Override
  public boolean retryable() {
    return true;
  }
}
