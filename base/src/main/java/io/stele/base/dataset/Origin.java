package io.stele.base.dataset;

/**
 * Where an answer is from.
 *
 * @param loadedMicros since when this node knows the version, microseconds since 1970 UTC
 * @param proxiedTo the address of the node that had it; empty if it was this one
 */
public record Origin(String version, long loadedMicros, String proxiedTo) {
  public boolean proxied() {
    return !proxiedTo.isEmpty();
  }
}
