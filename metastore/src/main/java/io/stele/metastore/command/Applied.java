package io.stele.metastore.command;

import io.stele.base.bytes.Bytes;
import java.util.List;

/**
 * What a log entry did.
 *
 * @param answers one per command, in their order
 * @param grants locks that waiting requests got, or lost their place for
 */
public record Applied(List<Answer> answers, List<WaitEnded> grants) {
  public Applied {
    answers = List.copyOf(answers);
    grants = List.copyOf(grants);
  }

  /** A queued request came to an end, with a grant or a refusal. */
  public record WaitEnded(Bytes key, long session, long sequence, Answer answer) {}
}
