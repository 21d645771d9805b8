package io.stele.base.schema;

import io.stele.base.error.InvalidRequestException;
import java.time.Duration;

/**
 * How a replicated table is kept.
 *
 * @param replicas of each partition, on as many servers
 * @param erasureGrace how long erasures are kept at least: a replica that was replaced, and away
 *     for longer, could bring back what was erased, and is set aside
 * @param splitBytes of a partition, at which it is split; 0 for never
 */
public record Replication(int replicas, Duration erasureGrace, long splitBytes) {
  public static final int MOST_REPLICAS = 15;
  public static final Replication DEFAULT = of(3);

  public Replication {
    if (replicas < 1 || replicas > MOST_REPLICAS) {
      throw new InvalidRequestException(replicas + " replicas: must be 1 to " + MOST_REPLICAS);
    }
    if (erasureGrace.isNegative()) {
      throw new InvalidRequestException(
          "erasures kept for " + erasureGrace + ": must not be negative");
    }
    if (splitBytes < 0) {
      throw new InvalidRequestException(
          "partitions split at " + splitBytes + " bytes: must be at least 1, or 0 for never");
    }
  }

  public static Replication of(int replicas) {
    return new Replication(replicas, Duration.ofDays(10), 512L << 20);
  }

  public Replication withReplicas(int value) {
    return new Replication(value, erasureGrace, splitBytes);
  }

  public Replication withErasureGrace(Duration value) {
    return new Replication(replicas, value, splitBytes);
  }

  public Replication withSplitBytes(long bytes) {
    return new Replication(replicas, erasureGrace, bytes);
  }
}
