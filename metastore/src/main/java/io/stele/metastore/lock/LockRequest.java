package io.stele.metastore.lock;

import io.stele.base.bytes.Bytes;
import java.time.Duration;

/**
 * A request for a lock that waits its turn.
 *
 * @param patience how long it was ready to wait, from the start or from a new leader's
 * @param delay how long the lock stays closed if the session expires while it holds it
 */
public record LockRequest(
    long session, long sequence, boolean exclusive, Duration patience, Duration delay) {
  boolean is(long otherSession, long otherSequence) {
    return session == otherSession && sequence == otherSequence;
  }

  /** A request and the lock that it waits for. */
  public record Waiting(Bytes key, LockRequest request) {}
}
