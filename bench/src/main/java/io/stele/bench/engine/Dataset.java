package io.stele.bench.engine;

import io.stele.bench.Run;
import io.stele.bench.driver.Crew;
import io.stele.bench.driver.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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

  private final Run run;
  private final String name;
  private final Records records;
  private final Map<EngineSide, Path> directories = new HashMap<>();

  Dataset(Run run, String name, Records records) {
    this.run = run;
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

  /** The directory of a side, with all records in it. */
  Path directory(EngineSide side) throws Exception {
    Path directory = directories.get(side);
    if (directory == null) {
      directory = run.directory(name + "-" + side.name());
      directories.put(side, directory);
      try (Engine engine = side.open(directory, records, LOADING_CACHE)) {
        double seconds = fill(engine, records.count()).seconds();
        run.progress()
            .line(
                "%-22s      %s filled in %.1f s, compacting".formatted(name, side.name(), seconds));
        engine.flushAndCompact();
      }
    }
    return directory;
  }

  /** Puts the first records in one thread, and waits for the log once, at the end. */
  static Sample fill(Engine engine, long count) throws Exception {
    return Crew.untilDone(1, RUNS_PER_LOOK)
        .run(
            _ -> {
              Engine.Access puts = engine.puts(false);
              long[] next = {0};
              return () -> {
                if (next[0] == count) {
                  return false;
                }
                puts.to(next[0]++);
                if (next[0] == count) {
                  engine.syncLog();
                }
                return true;
              };
            });
  }

  /** An open store of a side. */
  record Open(EngineSide side, Engine engine) {}

  /** The stores of all sides, open. */
  static final class OpenStores implements AutoCloseable {
    private final List<Open> stores = new ArrayList<>();

    List<Open> list() {
      return stores;
    }

    @Override
    public void close() throws Exception {
      Exception failure = null;
      for (Open open : stores) {
        try {
          open.engine().close();
        } catch (Exception e) {
          failure = e;
        }
      }
      if (failure != null) {
        throw failure;
      }
    }
  }

  /** Opens the stores of some sides and reads all, so that it is cached as far as there is room. */
  OpenStores openWarm(List<EngineSide> sides, long cacheBytes) throws Exception {
    OpenStores open = new OpenStores();
    try {
      for (EngineSide side : sides) {
        Engine engine = side.open(directory(side), records, cacheBytes);
        open.stores.add(new Open(side, engine));
        try (Engine.Access scan = engine.scans().getFirst().source().open()) {
          scan.to(0);
        }
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
      run.delete(directory);
    }
    directories.clear();
  }
}
