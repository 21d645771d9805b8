package io.stele.base.error;

import org.jspecify.annotations.Nullable;

/** The caller lost its lease or lock to a newer holder, and must stop acting as the owner. */
public final class FencedException extends SteleException {
  private static final long serialVersionUID = 1L;

  public FencedException(String message) {
    this(message, null);
  }

  public FencedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  @Override
  public boolean retryable() {
    return false;
  }
}
