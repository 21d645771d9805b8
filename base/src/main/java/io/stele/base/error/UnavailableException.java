package io.stele.base.error;

import org.jspecify.annotations.Nullable;

/** Not possible at the moment, through no fault of the request: retry. */
public final class UnavailableException extends SteleException {
  private static final long serialVersionUID = 1L;

  public UnavailableException(String message) {
    this(message, null);
  }

  public UnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  @Override
  public boolean retryable() {
    return true;
  }
}
