package io.stele.metastore.lock;

import java.time.Duration;

/**
 * A session that holds a lock.
 *
 * @param token the fencing token of its grant
 * @param count how many times over
 * @param delay how long the lock stays closed if the session expires
 */
public record LockHolder(long session, long token, int count, Duration delay) {
  LockHolder withCount(int newCount) {
    return new LockHolder(session, token, newCount, delay);
  }
}
