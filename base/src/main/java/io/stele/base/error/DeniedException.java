package io.stele.base.error;

import org.jspecify.annotations.Nullable;

/** The caller may not do this: the same request by another principal might succeed. */
public final class DeniedException extends SteleException {
  private static final long serialVersionUID = 1L;

  public DeniedException(String message) {
    this(message, null);
  }

  public DeniedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  @Override
  public boolean retryable() {
    return false;
  }
}
