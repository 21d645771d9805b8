package io.stele.tables;

import io.stele.base.error.InvalidRequestException;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.write.WriteSettings;
import java.time.Duration;
import java.util.Map;

/**
 * How a tablet server works.
 *
 * @param scans the most that are open at a time
 * @param scanIdle a scan that nobody asks for so long is ended
 * @param tabletIdle the files of a tablet that was not read for so long are closed
 * @param upkeep how often schemas, idle tablets and superfluous files are looked after
 * @param replayBytes how much of a log is gathered in memory before it is written to a file
 * @param trash how long files that nothing needs stay in the trash
 * @param fixed tables that are described by a file, with the name of that file: they are loaded
 *     before META, and only a server alone may have some
 */
public record TabletServerSettings(
    WriteSettings writes,
    CompactSettings compaction,
    int scans,
    Duration scanIdle,
    Duration tabletIdle,
    Duration upkeep,
    long replayBytes,
    Duration trash,
    Map<String, String> fixed) {
  public static final TabletServerSettings DEFAULT =
      new TabletServerSettings(
          WriteSettings.DEFAULT,
          CompactSettings.DEFAULT,
          1_000,
          Duration.ofMinutes(5),
          Duration.ofMinutes(30),
          Duration.ofSeconds(30),
          128L << 20,
          Duration.ofHours(24),
          Map.of());

  public TabletServerSettings {
    fixed = Map.copyOf(fixed);
    if (scans < 1 || replayBytes < 1) {
      throw new InvalidRequestException(
          "tablet server settings: "
              + scans
              + " scans, replay "
              + replayBytes
              + " bytes: must be positive");
    }
    if (trash.isNegative()) {
      throw new InvalidRequestException(
          "tablet server settings: trash kept for " + trash + ": must not be negative");
    }
  }

  public TabletServerSettings withWrites(WriteSettings value) {
    return new TabletServerSettings(
        value, compaction, scans, scanIdle, tabletIdle, upkeep, replayBytes, trash, fixed);
  }

  public TabletServerSettings withCompaction(CompactSettings value) {
    return new TabletServerSettings(
        writes, value, scans, scanIdle, tabletIdle, upkeep, replayBytes, trash, fixed);
  }

  public TabletServerSettings withScans(int most, Duration idle) {
    return new TabletServerSettings(
        writes, compaction, most, idle, tabletIdle, upkeep, replayBytes, trash, fixed);
  }

  public TabletServerSettings withTabletIdle(Duration value) {
    return new TabletServerSettings(
        writes, compaction, scans, scanIdle, value, upkeep, replayBytes, trash, fixed);
  }

  public TabletServerSettings withUpkeep(Duration value) {
    return new TabletServerSettings(
        writes, compaction, scans, scanIdle, tabletIdle, value, replayBytes, trash, fixed);
  }

  public TabletServerSettings withReplayBytes(long value) {
    return new TabletServerSettings(
        writes, compaction, scans, scanIdle, tabletIdle, upkeep, value, trash, fixed);
  }

  public TabletServerSettings withTrash(Duration value) {
    return new TabletServerSettings(
        writes, compaction, scans, scanIdle, tabletIdle, upkeep, replayBytes, value, fixed);
  }

  public TabletServerSettings withFixed(Map<String, String> value) {
    return new TabletServerSettings(
        writes, compaction, scans, scanIdle, tabletIdle, upkeep, replayBytes, trash, value);
  }
}
