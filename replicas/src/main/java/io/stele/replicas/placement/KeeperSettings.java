package io.stele.replicas.placement;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import java.time.Duration;

/** How dead servers are replaced, and live ones balanced. */
public record KeeperSettings(
    @About("How often is looked for servers to be replaced.") Duration every,
    @About("For how long a server must be dead before others get copies of what it has.")
        Duration deadAfter,
    @About("For how long it must be dead before it stops to be a metadata server.")
        Duration metadataDeadAfter,
    @About("On how many servers each METADATA file is kept, if there are as many.")
        int metadataServers,
    @About(
            "How many replicas are moved at a time to balance servers; 0 to leave replicas where"
                + " they are.")
        int moves) {
  public static final KeeperSettings DEFAULT =
      new KeeperSettings(
          Duration.ofSeconds(5), Duration.ofMinutes(10), Duration.ofSeconds(30), 3, 1);

  public KeeperSettings {
    if (every.isNegative() || every.isZero()) {
      throw new InvalidRequestException("keeper: every " + every + ": must be positive");
    }
    if (deadAfter.isNegative() || metadataDeadAfter.isNegative()) {
      throw new InvalidRequestException(
          "keeper: dead after "
              + deadAfter
              + ", metadata servers after "
              + metadataDeadAfter
              + ": must not be negative");
    }
    if (metadataServers < 1) {
      throw new InvalidRequestException(
          "keeper: " + metadataServers + " metadata servers: must be at least 1");
    }
    if (moves < 0) {
      throw new InvalidRequestException("keeper: " + moves + " moves: must not be negative");
    }
  }

  public KeeperSettings withDeadAfter(Duration value, Duration metadata) {
    return new KeeperSettings(every, value, metadata, metadataServers, moves);
  }

  public KeeperSettings withEvery(Duration value) {
    return new KeeperSettings(value, deadAfter, metadataDeadAfter, metadataServers, moves);
  }

  public KeeperSettings withMoves(int value) {
    return new KeeperSettings(every, deadAfter, metadataDeadAfter, metadataServers, value);
  }
}
