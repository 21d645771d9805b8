package io.stele.bench.metastore;

/** A server answered, and what it answered cannot be right: no figure of it counts. */
final class WrongAnswerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WrongAnswerException(String message) {
    super(message);
  }
}
