package io.stele.base.error;

/** The caller may not do this: the same request by another principal might succeed. */
public final class DeniedException extends SteleException {
  private static final long serialVersionUID = 1L;

  public DeniedException(String message) {
    super(message, null);
  }

  @Override
  public boolean retryable() {
    return false;
  }
}
