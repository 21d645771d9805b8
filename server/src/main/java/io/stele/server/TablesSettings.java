package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.tables.TabletServerSettings;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.write.WriteSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Where tables are kept, how much memory they take, and when they are tended. */
public record TablesSettings(
    @About("Where their files are, a directory or a URI; tables in the server's where none is set.")
        Optional<String> files,
    @About("Whether tablet servers share their files: they are a cluster then, led by a master.")
        boolean shared,
    @About("Where a cluster's logs are, a directory or a URI; with the files where none is set.")
        Optional<String> logs,
    @About("How long a server of a cluster may be silent before others take over its tablets.")
        Duration session,
    @About("For blocks of their files.") ByteSize cache,
    @About("Of all changes that are not in files yet; beyond it writers wait.") ByteSize memory,
    @About("Of changes of a group that are not in files yet, at which they are written to one.")
        ByteSize memFragment,
    @About("Of log files that are kept; beyond it, what needs the oldest is written to files.")
        ByteSize log,
    @About("At which another log file is begun.") ByteSize logFile,
    @About("How long a change that nobody waits for may stay unsynced.") Duration lazySync,
    @About(
            "Of free space, below which writes are refused and reads go on; at most a twentieth of"
                + " the disk counts.")
        ByteSize diskReserve,
    @About("How long a writer waits for memory before it is refused.") Duration throttle,
    @About("How long a request waits for a table or tablet that is being loaded.") Duration defer,
    @About("Of files, at which a tablet is split.") ByteSize splitAt,
    @About("Of files of two neighbours together, below which they are joined.") ByteSize joinBelow,
    @About("How long tablets are left as they are before they are joined.") Duration joinAge,
    @About("Whether files are merged, and tablets split and joined, without being asked to.")
        boolean automatic,
    @About("The most scans that are open at a time.") int scans,
    @About("How long a scan may be left alone.") Duration scanIdle,
    @About("How long a tablet may be left alone before its files are closed.") Duration tabletIdle,
    @About("How often schemas, idle tablets and superfluous files are looked after.")
        Duration upkeep,
    @About("Of a log that is replayed, how much is gathered before it is written to a file.")
        ByteSize replay,
    @About(
            "How long files that nothing needs stay in the trash, in case that was wrong; when less"
                + " than a tenth of the disk is free, the oldest go earlier.")
        Duration trash,
    @About(
            "Tables that are described by a file of the file store, NAME=FILE, which a server alone"
                + " serves from its start on; they never move or split.")
        List<String> fixed) {

  private static final TabletServerSettings KNOWN = TabletServerSettings.DEFAULT;
  private static final Duration SHORTEST_SESSION = Duration.ofMillis(200);
  private static final long LARGEST_CACHE = 256L << 20;

  /** What the defaults take of memory fits the heap: a quarter each for changes and for blocks. */
  private static final long QUARTER = ((Runtime.getRuntime().maxMemory() / 4) >> 20) << 20;

  public static final TablesSettings DEFAULTS =
      new TablesSettings(
          Optional.empty(),
          false,
          Optional.empty(),
          Duration.ofSeconds(5),
          new ByteSize(Math.min(LARGEST_CACHE, QUARTER)),
          new ByteSize(Math.min(KNOWN.writes().memoryBytes(), QUARTER)),
          new ByteSize(Math.min(KNOWN.writes().memFragmentBytes(), QUARTER / 4)),
          new ByteSize(KNOWN.writes().logBytes()),
          new ByteSize(KNOWN.writes().log().fileBytes()),
          KNOWN.writes().log().lazySync(),
          new ByteSize(KNOWN.writes().diskReserve()),
          KNOWN.writes().throttleLimit(),
          KNOWN.writes().deferLimit(),
          new ByteSize(KNOWN.compaction().splitBytes()),
          new ByteSize(KNOWN.compaction().joinBytes()),
          KNOWN.compaction().joinAge(),
          KNOWN.compaction().automatic(),
          KNOWN.scans(),
          KNOWN.scanIdle(),
          KNOWN.tabletIdle(),
          KNOWN.upkeep(),
          new ByteSize(KNOWN.replayBytes()),
          KNOWN.trash(),
          List.of());

  public TablesSettings {
    fixed = List.copyOf(fixed);
    Map<String, String> _ = fixedFiles(fixed); // or it says what is wrong
    if (shared && !fixed.isEmpty()) {
      throw new InvalidRequestException(
          "tables.fixed is "
              + String.join(", ", fixed)
              + " and tables.shared is true: only a server alone has such tables");
    }
    if (shared && files.isEmpty()) {
      throw new InvalidRequestException(
          "tables.shared is true and tables.files is not set: must name the place that all servers"
              + " of the cluster share, such as /mnt/stele or hdfs://name-node/stele");
    }
    if (!shared && logs.isPresent()) {
      throw new InvalidRequestException(
          "tables.logs is "
              + logs.get()
              + " and tables.shared is false: logs have a place of their own only in a cluster");
    }
    if (session.compareTo(SHORTEST_SESSION) < 0) {
      throw new InvalidRequestException(
          "tables.session is "
              + session.toMillis()
              + "ms: must be at least "
              + SHORTEST_SESSION.toMillis()
              + "ms, or a server that pauses for a moment loses its tablets");
    }
  }

  private static Map<String, String> fixedFiles(List<String> fixed) {
    Map<String, String> files = new TreeMap<>();
    for (String each : fixed) {
      int equals = each.indexOf('=');
      if (equals < 1 || equals == each.length() - 1) {
        throw new InvalidRequestException(
            "tables.fixed has \"" + each + "\": must be NAME=FILE, such as old=old/state");
      }
      String name = each.substring(0, equals);
      if (files.put(name, each.substring(equals + 1)) != null) {
        throw new InvalidRequestException(
            "tables.fixed names table \"" + name + "\" twice: each table has one file");
      }
    }
    return files;
  }

  TabletServerSettings server() {
    CommitLogSettings known = KNOWN.writes().log();
    CommitLogSettings files =
        new CommitLogSettings(
            logFile.bytes(), known.preallocateBytes(), known.queueBytes(), lazySync);
    WriteSettings writes =
        KNOWN
            .writes()
            .withMemory(memory.bytes(), memFragment.bytes())
            .withLog(files, log.bytes())
            .withDiskReserve(diskReserve.bytes())
            .withLimits(throttle, defer);
    CompactSettings compaction =
        KNOWN
            .compaction()
            .withSizes(splitAt.bytes(), joinBelow.bytes())
            .withJoinAge(joinAge)
            .withAutomatic(automatic);
    return KNOWN
        .withWrites(writes)
        .withCompaction(compaction)
        .withScans(scans, scanIdle)
        .withTabletIdle(tabletIdle)
        .withUpkeep(upkeep)
        .withReplayBytes(replay.bytes())
        .withTrash(trash)
        .withFixed(fixedFiles(fixed));
  }
}
