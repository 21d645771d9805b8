package io.stele.metastore.state;

import io.stele.base.error.InvalidRequestException;
import io.stele.metastore.key.PathKey;

/**
 * What one command may ask for. They decide what is applied, so they must be the same on every
 * member of a group.
 *
 * @param operations of a transaction, comparisons and both cases together
 * @param transactionBytes of all keys and values of a transaction together
 * @param keyBytes of a key
 * @param valueBytes of a value
 * @param changedKeys by one transaction
 * @param ephemeralKeys of a session
 * @param leasedKeys of a lease
 * @param waitingRequests of a lock
 * @param answerBytes of an answer, roughly: a range is cut there
 */
public record MetastoreLimits(
    int operations,
    int transactionBytes,
    int keyBytes,
    int valueBytes,
    int changedKeys,
    int ephemeralKeys,
    int leasedKeys,
    int waitingRequests,
    int answerBytes) {
  private static final int LEASED_KEYS = 100_000;

  public static final MetastoreLimits DEFAULT =
      new MetastoreLimits(128, 1 << 20, PathKey.MAX_BYTES, 1 << 20, 10_000, 10_000, 4_096, 4 << 20);

  /** With the usual bound of the keys of a lease. */
  public MetastoreLimits(
      int operations,
      int transactionBytes,
      int keyBytes,
      int valueBytes,
      int changedKeys,
      int ephemeralKeys,
      int waitingRequests,
      int answerBytes) {
    this(
        operations,
        transactionBytes,
        keyBytes,
        valueBytes,
        changedKeys,
        ephemeralKeys,
        LEASED_KEYS,
        waitingRequests,
        answerBytes);
  }

  public MetastoreLimits {
    check("operations", operations);
    check("transaction bytes", transactionBytes);
    check("key bytes", keyBytes);
    check("value bytes", valueBytes);
    check("changed keys", changedKeys);
    check("ephemeral keys", ephemeralKeys);
    check("leased keys", leasedKeys);
    check("waiting requests", waitingRequests);
    check("answer bytes", answerBytes);
    if (keyBytes > PathKey.MAX_BYTES) {
      throw new InvalidRequestException(
          "limit of " + keyBytes + " key bytes: at most " + PathKey.MAX_BYTES);
    }
  }

  private static void check(String what, int value) {
    if (value < 1) {
      throw new InvalidRequestException("limit of " + value + " " + what + ": at least 1");
    }
  }
}
