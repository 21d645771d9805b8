package io.stele.metastore.lock;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied.WaitEnded;
import java.util.List;

/**
 * What a command does to one lock: nothing has been changed yet.
 *
 * @param lock as it will be
 * @param changed false if it stays as it is
 * @param ended requests that leave the queue by it
 */
public record LockDecision(
    Bytes key, KeyLockInfo lock, boolean changed, Answer answer, List<WaitEnded> ended) {
  public LockDecision {
    ended = List.copyOf(ended);
  }

  static LockDecision unchanged(Bytes key, KeyLockInfo lock, Answer answer) {
    return new LockDecision(key, lock, false, answer, List.of());
  }
}
