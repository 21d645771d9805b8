package io.stele.metastore.lock;

import io.stele.base.bytes.Bytes;
import java.time.Duration;

/**
 * A lock stays closed for a while, as a holder's session expired: the holder may not know yet.
 *
 * @param token names this delay
 */
public record LockDelay(long token, Duration time) {
  /** A delay and the lock that it keeps closed. */
  public record Closed(Bytes key, LockDelay delay) {}
}
