package io.stele.base.error;

import org.jspecify.annotations.Nullable;

/** The request itself is wrong and will never succeed: fix it. Nothing was changed. */
public final class InvalidRequestException extends SteleException {
  private static final long serialVersionUID = 1L;

  public InvalidRequestException(String message) {
    this(message, null);
  }

  public InvalidRequestException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  @Override
  public boolean retryable() {
    return false;
  }
}
