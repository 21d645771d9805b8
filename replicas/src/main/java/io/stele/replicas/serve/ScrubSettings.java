package io.stele.replicas.serve;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import java.time.Duration;

/** How often replicas are compared with each other, and how fast. */
public record ScrubSettings(
    @About("How often each partition's replicas are compared; 0s for never.") Duration every,
    @About("Bytes per second of each replica that a server reads to compare it with the others.")
        long bytesPerSecond) {
  public static final ScrubSettings DEFAULT = new ScrubSettings(Duration.ofDays(7), 8L << 20);

  public ScrubSettings {
    if (every.isNegative()) {
      throw new InvalidRequestException("scrub every " + every + ": must not be negative");
    }
    if (bytesPerSecond < 1) {
      throw new InvalidRequestException(
          "scrub of " + bytesPerSecond + " bytes per second: must be positive");
    }
  }

  /** Whether there is any. */
  boolean isOn() {
    return !every.isZero();
  }

  /** How long so many bytes take. */
  long nanos(long bytes) {
    return (long) (bytes * 1e9 / bytesPerSecond);
  }
}
