package io.stele.client.call;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.tls.Tls;
import java.time.Duration;
import java.util.Optional;

/**
 * How calls are made.
 *
 * @param tls how connections are secured; not at all without
 * @param principal on whose behalf; empty for nobody in particular
 * @param timeout until when an operation must have its answer, all attempts together
 * @param attemptTimeout after which another server is asked
 * @param firstPause before the second attempt; doubles up to the longest, and is jittered
 */
public record CallSettings(
    Optional<Tls> tls,
    String principal,
    Duration timeout,
    Duration attemptTimeout,
    Duration firstPause,
    Duration longestPause) {
  public static final CallSettings DEFAULTS =
      new CallSettings(
          Optional.empty(),
          "",
          Duration.ofSeconds(10),
          Duration.ofSeconds(3),
          Duration.ofMillis(20),
          Duration.ofSeconds(1));

  public CallSettings {
    for (Duration time : new Duration[] {timeout, attemptTimeout, firstPause, longestPause}) {
      if (time.isNegative() || time.isZero()) {
        throw new InvalidRequestException("a timeout or pause of " + time + ": must be positive");
      }
    }
    for (int i = 0; i < principal.length(); i++) {
      if (principal.charAt(i) <= ' ' || principal.charAt(i) >= 0x7f) {
        throw new InvalidRequestException(
            "principal \"" + principal + "\": must be printable ASCII without spaces");
      }
    }
  }

  public CallSettings withTls(Optional<Tls> newTls) {
    return new CallSettings(newTls, principal, timeout, attemptTimeout, firstPause, longestPause);
  }

  public CallSettings withPrincipal(String newPrincipal) {
    return new CallSettings(tls, newPrincipal, timeout, attemptTimeout, firstPause, longestPause);
  }

  public CallSettings withTimeout(Duration newTimeout) {
    return new CallSettings(tls, principal, newTimeout, attemptTimeout, firstPause, longestPause);
  }

  public CallSettings withAttemptTimeout(Duration newAttemptTimeout) {
    return new CallSettings(tls, principal, timeout, newAttemptTimeout, firstPause, longestPause);
  }

  public CallSettings withPauses(Duration first, Duration longest) {
    return new CallSettings(tls, principal, timeout, attemptTimeout, first, longest);
  }
}
