package io.stele.client.metastore;

import io.stele.base.error.InvalidRequestException;
import io.stele.client.call.CallSettings;
import java.time.Duration;

/**
 * How a client works.
 *
 * @param deduplicate whether the client opens a session of its own under which it numbers its
 *     changes, so that one whose answer was lost can be sent again and is done once
 * @param ownTimeToLive of that session
 * @param transactionAttempts how often an interactive transaction is tried if it conflicts
 */
public record ClientSettings(
    CallSettings calls, boolean deduplicate, Duration ownTimeToLive, int transactionAttempts) {
  public static final ClientSettings DEFAULTS =
      new ClientSettings(CallSettings.DEFAULTS, true, Duration.ofSeconds(30), 10);

  public ClientSettings {
    if (ownTimeToLive.toMillis() < 1) {
      throw new InvalidRequestException(
          "time to live of " + ownTimeToLive + ": must be at least a millisecond");
    }
    if (transactionAttempts < 1) {
      throw new InvalidRequestException(
          transactionAttempts + " attempts at a transaction: must be at least 1");
    }
  }

  public ClientSettings withCalls(CallSettings newCalls) {
    return new ClientSettings(newCalls, deduplicate, ownTimeToLive, transactionAttempts);
  }

  public ClientSettings withDeduplicate(boolean newDeduplicate) {
    return new ClientSettings(calls, newDeduplicate, ownTimeToLive, transactionAttempts);
  }

  public ClientSettings withOwnTimeToLive(Duration newTimeToLive) {
    return new ClientSettings(calls, deduplicate, newTimeToLive, transactionAttempts);
  }

  public ClientSettings withTransactionAttempts(int newAttempts) {
    return new ClientSettings(calls, deduplicate, ownTimeToLive, newAttempts);
  }
}
