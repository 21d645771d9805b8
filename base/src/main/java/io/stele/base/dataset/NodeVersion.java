package io.stele.base.dataset;

import java.util.List;

/**
 * A version as one node has it.
 *
 * @param node its address
 * @param reason why it is in error; empty if it is not
 * @param serving whether this is the version that the node serves to clients
 * @param shards that it has, in order
 * @param createdMicros when the node began with it, microseconds since 1970 UTC
 * @param activeMicros when it was first served to clients; 0 if it was not
 */
public record NodeVersion(
    String node,
    VersionState state,
    String reason,
    boolean serving,
    List<Integer> shards,
    LoadProgress progress,
    long createdMicros,
    long activeMicros) {
  public NodeVersion {
    shards = List.copyOf(shards);
  }
}
