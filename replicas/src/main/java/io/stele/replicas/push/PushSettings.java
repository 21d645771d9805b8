package io.stele.replicas.push;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import java.time.Duration;

/** How changes are sent on. */
public record PushSettings(
    @About("About the most bytes that are sent at once.") int pushBytes,
    @About(
            "The most bytes of recent changes, of all replicas of a server, that are kept in memory"
                + " for who is behind.")
        long ringBytes,
    @About("After how long a change from another replica is sent on, unless that one has done so.")
        Duration relayAfter,
    @About("The pause after a failed attempt to send, twice as long after each further one.")
        Duration retryFirst,
    @About("The longest such pause.") Duration retryMost,
    @About("How often is written down how far the other replicas are.") Duration save) {
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
