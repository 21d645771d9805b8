package io.stele.metastore.command;

/**
 * A read was refused: what an {@link Answer.Refused} is to a command. The metastore's one place for
 * refusals turns both into the errors that callers know, of which this is then the cause: for
 * protocols that tell more kinds apart than those errors do.
 */
public final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Answer.Refused refused;

  public RefusedException(Answer.Kind kind, String message) {
    super(message, null, false, false); // an answer, not a fault: nobody looks at its trace
    this.refused = new Answer.Refused(kind, message);
  }

  public Answer.Refused refused() {
    return refused;
  }
}
