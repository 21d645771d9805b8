package io.stele.base.error;

import org.jspecify.annotations.Nullable;

/** What the request names does not exist. */
public final class NotFoundException extends SteleException {
  private static final long serialVersionUID = 1L;

  public NotFoundException(String message) {
    this(message, null);
  }

  public NotFoundException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  @Override
  public boolean retryable() {
    return false;
  }
}
