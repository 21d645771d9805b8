package io.stele.base.error;

import org.jspecify.annotations.Nullable;

/** Something changed between the caller's read and its write: read again, then decide. */
public final class ConflictException extends SteleException {
  private static final long serialVersionUID = 1L;

  public ConflictException(String message) {
    this(message, null);
  }

  public ConflictException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  @Override
  public boolean retryable() {
    return false;
  }
}
