package io.stele.metastore.command;

import io.stele.base.error.InvalidRequestException;

/**
 * Who asks for a change, and which of its requests this is. Together with the session the sequence
 * names the request for ever: asked again, it is answered again and not done again.
 *
 * @param principal whose rights count; empty for nobody in particular
 * @param session 0 if the caller has none: then a repeated request is done twice
 * @param sequence of the session's changes, from 1; 0 without a session
 * @param answeredBelow the caller has the answers of all sequences below: they may be forgotten
 */
public record Origin(String principal, long session, long sequence, long answeredBelow) {
  public static final Origin NOBODY = new Origin("", 0, 0, 0);

  /** On whose behalf the leader acts on its own; no caller can have this name. */
  public static final String LEADER = "\0leader";

  /** How many requests of a session may be without an answer at a time. */
  public static final int WINDOW = 1024;

  public Origin {
    if (session < 0 || sequence < 0 || answeredBelow < 0 || (session == 0) != (sequence == 0)) {
      throw new InvalidRequestException(
          "request "
              + sequence
              + " of session "
              + session
              + ": both must be positive, or both 0 without a session");
    }
    if (session != 0 && (sequence < answeredBelow || sequence - answeredBelow >= WINDOW)) {
      throw new InvalidRequestException(
          "request "
              + sequence
              + " of session "
              + session
              + " while all below "
              + answeredBelow
              + " are answered: must be less than "
              + WINDOW
              + " above");
    }
  }

  public static Origin of(String principal) {
    return new Origin(principal, 0, 0, 0);
  }
}
