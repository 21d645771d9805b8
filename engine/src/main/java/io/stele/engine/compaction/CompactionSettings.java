package io.stele.engine.compaction;

import io.stele.base.error.InvalidRequestException;

/**
 * When fragments are merged; {@link CompactionPolicy} tells the rules.
 *
 * @param minWidth the fewest fragments that are worth a merge, unless the chain is too long or
 *     erasures weigh on it
 * @param maxWidth the most fragments that one merge reads
 * @param maxFragments the longest chain that is left as it is; more than {@code maxWidth} counts as
 *     {@code maxWidth}
 * @param runPercent a fragment joins a run if it has at most this share of the run's bytes so far
 * @param spacePercent the most bytes that may lie above the oldest fragment, as a share of it
 * @param erasurePercent the largest share of erasures among the cells above the oldest fragment
 * @param erasureReach a merge that drops erasures reads at most this many times the cells among
 *     which they weigh
 * @param garbagePercent the share of garbage below the floor of a history at which fragments are
 *     rewritten without it
 */
public record CompactionSettings(
    int minWidth,
    int maxWidth,
    int maxFragments,
    int runPercent,
    int spacePercent,
    int erasurePercent,
    int erasureReach,
    int garbagePercent) {
  public static final CompactionSettings DEFAULT =
      new CompactionSettings(4, 16, 12, 120, 100, 30, 4, 20);

  public CompactionSettings {
    check("min width", minWidth, 2, 1_000);
    check("max width", maxWidth, minWidth, 1_000);
    check("max fragments", maxFragments, 1, 1_000);
    check("run percent", runPercent, 100, 10_000);
    check("space percent", spacePercent, 1, 100_000);
    check("erasure percent", erasurePercent, 1, 100);
    check("erasure reach", erasureReach, 1, 1_000);
    check("garbage percent", garbagePercent, 1, 100);
  }

  public CompactionSettings withWidths(int least, int most) {
    return new CompactionSettings(
        least,
        most,
        maxFragments,
        runPercent,
        spacePercent,
        erasurePercent,
        erasureReach,
        garbagePercent);
  }

  public CompactionSettings withMaxFragments(int value) {
    return new CompactionSettings(
        minWidth,
        maxWidth,
        value,
        runPercent,
        spacePercent,
        erasurePercent,
        erasureReach,
        garbagePercent);
  }

  public CompactionSettings withRunPercent(int value) {
    return new CompactionSettings(
        minWidth,
        maxWidth,
        maxFragments,
        value,
        spacePercent,
        erasurePercent,
        erasureReach,
        garbagePercent);
  }

  public CompactionSettings withSpacePercent(int value) {
    return new CompactionSettings(
        minWidth,
        maxWidth,
        maxFragments,
        runPercent,
        value,
        erasurePercent,
        erasureReach,
        garbagePercent);
  }

  public CompactionSettings withErasures(int percent, int reach) {
    return new CompactionSettings(
        minWidth, maxWidth, maxFragments, runPercent, spacePercent, percent, reach, garbagePercent);
  }

  public CompactionSettings withGarbagePercent(int value) {
    return new CompactionSettings(
        minWidth,
        maxWidth,
        maxFragments,
        runPercent,
        spacePercent,
        erasurePercent,
        erasureReach,
        value);
  }

  private static void check(String what, int value, int least, int most) {
    if (value < least || value > most) {
      throw new InvalidRequestException(
          "compaction " + what + " of " + value + ": must be " + least + " to " + most);
    }
  }
}
