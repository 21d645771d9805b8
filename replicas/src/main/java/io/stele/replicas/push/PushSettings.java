package io.stele.replicas.push;

import io.stele.base.error.InvalidRequestException;
import java.time.Duration;

/**
 * How changes are sent on.
 *
 * @param pushBytes about the most of one push
 * @param ringBytes the most of the recent changes of all replicas of a server that are kept in
 *     memory: who is further behind is sent what the files have
 * @param relayAfter a change from another replica is sent on after so long, unless that one says
 *     that it is no longer needed
 * @param retryFirst the pause after a push that failed, twice as long after each further one
 * @param retryMost the longest such pause
 * @param save how often is written down how far the others are
 */
public record PushSettings(
    int pushBytes,
    long ringBytes,
    Duration relayAfter,
    Duration retryFirst,
    Duration retryMost,
    Duration save) {
  public static final PushSettings DEFAULT =
      new PushSettings(
          1 << 20,
          64L << 20,
          Duration.ofSeconds(2),
          Duration.ofMillis(50),
          Duration.ofSeconds(2),
          Duration.ofSeconds(5));

  public PushSettings {
    if (pushBytes < 1 || ringBytes < 1) {
      throw new InvalidRequestException(
          "pushes of "
              + pushBytes
              + " bytes, "
              + ringBytes
              + " bytes of recent changes: must be positive");
    }
    check("relay after", relayAfter);
    check("first pause", retryFirst);
    check("longest pause", retryMost);
    check("save every", save);
  }

  private static void check(String what, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new InvalidRequestException(what + " " + value + ": must be positive");
    }
  }

  public PushSettings withRelayAfter(Duration value) {
    return new PushSettings(pushBytes, ringBytes, value, retryFirst, retryMost, save);
  }

  public PushSettings withRetry(Duration first, Duration most) {
    return new PushSettings(pushBytes, ringBytes, relayAfter, first, most, save);
  }

  public PushSettings withBytes(int push, long ring) {
    return new PushSettings(push, ring, relayAfter, retryFirst, retryMost, save);
  }

  public PushSettings withSave(Duration value) {
    return new PushSettings(pushBytes, ringBytes, relayAfter, retryFirst, retryMost, value);
  }
}
