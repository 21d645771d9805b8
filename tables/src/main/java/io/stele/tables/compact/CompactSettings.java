package io.stele.tables.compact;

import io.stele.base.error.InvalidRequestException;
import io.stele.engine.compaction.CompactionSettings;
import java.time.Duration;

/**
 * When files are merged, and when tablets are split and joined.
 *
 * @param compaction when files of a chain are merged
 * @param splitBytes a tablet with more bytes on disk is split
 * @param joinBytes neighbours that together have fewer are joined
 * @param joinAge but only if both have been on this server, as they are, for so long: tablets that
 *     somebody made on purpose are empty at first
 * @param automatic false if none of this happens but on request
 */
public record CompactSettings(
    CompactionSettings compaction,
    long splitBytes,
    long joinBytes,
    Duration joinAge,
    boolean automatic) {
  public static final CompactSettings DEFAULT =
      new CompactSettings(
          CompactionSettings.DEFAULT, 256L << 20, 16L << 20, Duration.ofHours(1), true);

  public CompactSettings {
    if (splitBytes < 1 || joinBytes < 0 || joinBytes > splitBytes / 2) {
      throw new InvalidRequestException(
          "tablets split at "
              + splitBytes
              + " bytes and joined below "
              + joinBytes
              + ": the first must be positive, and the second at most half of it, or halves would"
              + " be joined again");
    }
    if (joinAge.isNegative()) {
      throw new InvalidRequestException(
          "tablets joined after " + joinAge + ": must not be negative");
    }
  }

  public CompactSettings withCompaction(CompactionSettings value) {
    return new CompactSettings(value, splitBytes, joinBytes, joinAge, automatic);
  }

  public CompactSettings withSizes(long split, long join) {
    return new CompactSettings(compaction, split, join, joinAge, automatic);
  }

  public CompactSettings withJoinAge(Duration value) {
    return new CompactSettings(compaction, splitBytes, joinBytes, value, automatic);
  }

  public CompactSettings withAutomatic(boolean value) {
    return new CompactSettings(compaction, splitBytes, joinBytes, joinAge, value);
  }
}
