package io.stele.bench.engine;

import io.stele.bench.measure.Phase;
import io.stele.bench.measure.Sample;
import io.stele.bench.measure.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The same records in a store of each side, flushed and fully compacted: what the reading cases
 * read. Made when it is first needed, deleted when it is closed.
 */
final class Dataset implements AutoCloseable {
  private static final int RUNS_PER_LOOK = 64;

  /** While it is filled and compacted nothing is read twice. */
  private static final long LOADING_CACHE = 64L << 20;

  private static final long CACHE_SLACK = 64L << 20;

  private final Setup setup;
  private final String name;
  private final Records records;
  private final Map<EngineSide, Path> directories = new HashMap<>();

  Dataset(Setup setup, String name, Records records) {
    this.setup = setup;
    this.name = name;
    this.records = records;
  }

  Records records() {
    return records;
  }

  /** A cache in which all of it fits, with the room that block headers and indexes take. */
  long wholeCacheBytes() {
    return records.bytes() * 3 / 2 + CACHE_SLACK;
  }

  Path directory(EngineSide side) throws Exception {
    Path directory = directories.get(side);
    if (directory == null) {
      directory = setup.workspace().directory(name + "-" + side.name());
      directories.put(side, directory);
      build(side, directory);
    }
    return directory;
  }

  private void build(EngineSide side, Path directory) throws Exception {
    try (Engine engine = side.open(directory, records, setup.options(LOADING_CACHE))) {
      Sample filled = fill(engine, records.count());
      setup
          .progress()
          .line(
              String.format(
                  Locale.ROOT,
                  "%-22s      %s filled in %.1f s, compacting",
                  name,
                  side.name(),
                  filled.seconds()));
      engine.flushAndCompact();
    }
  }

  /** Puts the first records in one thread, and waits for the log once, at the end. */
  static Sample fill(Engine engine, long count) throws Exception {
    return Phase.counted(count, RUNS_PER_LOOK)
        .run(
            _ -> {
              Engine.Access puts = engine.puts(false);
              long[] next = {0};
              return () -> {
                puts.to(next[0]++);
                if (next[0] == count) {
                  engine.syncLog();
                }
              };
            });
  }

  /** Bytes of all of a side's files. */
  long diskBytes(EngineSide side) throws Exception {
    return Workspace.bytes(directory(side));
  }

  OpenSides open(long cacheBytes) throws Exception {
    OpenSides open = new OpenSides();
    try {
      for (EngineSide side : setup.sides()) {
        open.add(side, side.open(directory(side), records, setup.options(cacheBytes)));
      }
      return open;
    } catch (Exception e) {
      open.close();
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    for (Path directory : directories.values()) {
      setup.workspace().delete(directory);
    }
    directories.clear();
  }
}
