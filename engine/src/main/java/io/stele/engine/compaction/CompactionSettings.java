package io.stele.engine.compaction;

/**
 * When fragments are merged.
 *
 * @param minWidth the fewest fragments that are worth a merge
 */
public record CompactionSettings(int minWidth) {
  public static final CompactionSettings DEFAULT = new CompactionSettings(4);
}
