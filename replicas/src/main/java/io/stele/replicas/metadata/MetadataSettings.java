package io.stele.replicas.metadata;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import java.time.Duration;

/** How METADATA files are looked after. */
public record MetadataSettings(
    @About("How often is looked for what has changed, if nothing tells of it.") Duration poll,
    @About("After how long a file of which nothing was heard counts as left over by a crash.")
        Duration abandonedAfter,
    @About("How often something is tried that another server may have overtaken.") int tries,
    @About("The pause between two such attempts.") Duration retryPause) {
  public static final MetadataSettings DEFAULT =
      new MetadataSettings(
          Duration.ofSeconds(3), Duration.ofMinutes(1), 20, Duration.ofMillis(250));

  public MetadataSettings {
    positive("poll", poll);
    positive("abandoned after", abandonedAfter);
    positive("retry pause", retryPause);
    if (tries < 1) {
      throw new InvalidRequestException("metadata: " + tries + " tries: must be positive");
    }
  }

  private static void positive(String what, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new InvalidRequestException("metadata: " + what + " " + value + ": must be positive");
    }
  }

  public MetadataSettings withPoll(Duration value) {
    return new MetadataSettings(value, abandonedAfter, tries, retryPause);
  }

  public MetadataSettings withAbandonedAfter(Duration value) {
    return new MetadataSettings(poll, value, tries, retryPause);
  }

  public MetadataSettings withTries(int value, Duration pause) {
    return new MetadataSettings(poll, abandonedAfter, value, pause);
  }
}
