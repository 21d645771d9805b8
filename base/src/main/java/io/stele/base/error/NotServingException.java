package io.stele.base.error;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** This server does not serve what was asked for: retry elsewhere, at the hinted address if any. */
public final class NotServingException extends SteleException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String hint;

  public NotServingException(String message) {
    this(message, null);
  }

  public NotServingException(String message, @Nullable String hint) {
    super(message, null);
    this.hint = hint;
  }

  /** The address that is believed to serve it. */
  public Optional<String> hint() {
    return Optional.ofNullable(hint);
  }

  @Override
  public boolean retryable() {
    return true;
  }
}
