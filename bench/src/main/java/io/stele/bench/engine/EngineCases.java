package io.stele.bench.engine;

import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.driver.Crew;
import io.stele.bench.driver.Sample;
import io.stele.bench.engine.Dataset.Open;
import io.stele.bench.engine.Dataset.OpenStores;
import io.stele.bench.engine.Engine.Way;
import io.stele.bench.measure.Arena.Entrant;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Better;
import io.stele.bench.measure.Workspace;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Notes;
import io.stele.bench.report.Result;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What the cases of {@code stele bench engine} do. */
final class EngineCases {
  static final int SYNC_THREADS = 16;
  static final int SOUGHT_CELLS = 50;

  /** How many times the first set of records each set of the growth case has. */
  static final List<Integer> GROWTH = List.of(1, 3, 10);

  /** The most that the cost of an operation may grow by at ten times the data. */
  private static final double MOST_GROWTH = 1.3;

  /** The first case of a run meets a JVM that has compiled nothing yet, also in a quick one. */
  private static final double FILL_WARM_UP_SECONDS = 1;

  private static final long FILL_WARM_UP_RECORDS = 100_000;
  private static final long FILL_CACHE = 64L << 20;
  private static final long OPEN_CACHE = 256L << 20;
  private static final int OPENINGS = 5;

  /** The cache that is too small holds this part of the data. */
  private static final int UNCACHED_PART = 8;

  private final Run run;
  private final EngineSide stele;
  private final Peer<EngineSide> peer;
  private final List<EngineSide> sides;

  EngineCases(Run run, EngineSide stele, Peer<EngineSide> peer) {
    this.run = run;
    this.stele = stele;
    this.peer = peer;
    this.sides = peer.sides(stele);
  }

  private static String name(String base, Dataset data) {
    return base + "-" + Records.label(data.records().valueSize());
  }

  // ---- writes

  /** Durable puts from many threads, each waiting for its own: what group commit is for. */
  void fillSync(Dataset data) throws Exception {
    String name = name("fill-sync", data);
    Comparison puts = new Comparison(name, "puts/s", Better.HIGHER, Sample::perSecond);
    for (EngineSide side : sides) {
      puts.add(
          side,
          "",
          true,
          () -> syncedPuts(name, side, data.records(), FILL_WARM_UP_SECONDS),
          _ -> syncedPuts(name, side, data.records(), run.seconds()));
    }
    puts.run(run, stele, peer, true, SYNC_THREADS + " threads");
  }

  private Sample syncedPuts(String name, EngineSide side, Records records, double seconds)
      throws Exception {
    return inNewStore(
        name,
        side,
        records,
        engine ->
            new Crew(SYNC_THREADS, seconds)
                .run(
                    thread -> {
                      SplittableRandom random = new SplittableRandom(thread);
                      Engine.Access puts = engine.puts(true);
                      return Crew.endless(() -> puts.to(random.nextLong(records.count())), puts);
                    }));
  }

  /** All records from one thread that does not wait for the log. */
  void fill(Dataset data) throws Exception {
    String name = name("fill", data);
    Records records = data.records();
    Comparison puts = new Comparison(name, "puts/s", Better.HIGHER, Sample::perSecond);
    long warmUp = Math.min(records.count(), FILL_WARM_UP_RECORDS);
    for (EngineSide side : sides) {
      puts.add(
          side,
          "",
          true,
          () -> inNewStore(name, side, records, engine -> Dataset.fill(engine, warmUp)),
          _ -> inNewStore(name, side, records, engine -> Dataset.fill(engine, records.count())));
    }
    puts.run(
        run,
        stele,
        peer,
        false,
        "no put waits for the log: RocksDB's is with the kernel when a put returns, Stele's a"
            + " moment later; one sync of it at the end is timed");
  }

  private interface InEngine {
    Sample run(Engine engine) throws Exception;
  }

  private Sample inNewStore(String name, EngineSide side, Records records, InEngine step)
      throws Exception {
    return run.within(
        name + "-" + side.name(),
        directory -> {
          try (Engine engine = side.open(directory, records, FILL_CACHE)) {
            return step.run(engine);
          }
        });
  }

  /** The size of all files after a full compaction. Nothing is timed. */
  void diskBytes(Dataset data) throws Exception {
    List<Double> bytes = new ArrayList<>();
    for (EngineSide side : sides) {
      bytes.add((double) Workspace.bytes(data.directory(side)));
    }
    run.tellFigures(
        name("disk-bytes", data),
        "bytes",
        Better.LOWER,
        bytes,
        peer,
        1.0,
        new Notes().add(Figures.text(data.records().bytes()) + " bytes of keys and values"));
  }

  // ---- reads

  void getCached(Dataset data) throws Exception {
    get("get-cached", data, data.wholeCacheBytes(), "");
  }

  void getUncached(Dataset data) throws Exception {
    long cache = data.records().bytes() / UNCACHED_PART;
    get(
        "get-uncached",
        data,
        cache,
        "block cache of %s bytes; the files are in the system's page cache on both sides"
            .formatted(Figures.text(cache)));
  }

  private void get(String base, Dataset data, long cacheBytes, String note) throws Exception {
    try (OpenStores open = data.openWarm(sides, cacheBytes)) {
      for (int threads : List.of(1, 2)) {
        String name = name("%s-%dt".formatted(base, threads), data);
        Comparison gets = new Comparison(name, "gets/s", Better.HIGHER, Sample::perSecond);
        addReads(gets, Read.GET, open, data.records(), threads);
        gets.run(run, stele, peer, true, note);
      }
    }
  }

  /** One thread that reads every byte of every key and value, from first to last. */
  void scan(Dataset data) throws Exception {
    long count = data.records().count();
    read(data, "scan", "rows/s", sample -> sample.perSecond() * count, Read.SCAN, false);
  }

  /** Short scans that start anywhere. */
  void seek(Dataset data) throws Exception {
    read(data, "seek" + SOUGHT_CELLS, "seeks/s", Sample::perSecond, Read.SEEK, true);
  }

  private void read(
      Dataset data,
      String base,
      String unit,
      ToDoubleFunction<Sample> figure,
      Read read,
      boolean latency)
      throws Exception {
    try (OpenStores open = data.openWarm(sides, data.wholeCacheBytes())) {
      Comparison reads = new Comparison(name(base, data), unit, Better.HIGHER, figure);
      addReads(reads, read, open, data.records(), 1);
      reads.run(run, stele, peer, latency, "");
    }
  }

  /**
   * A kind of read.
   *
   * @param runsPerLook how many pass between two looks at the clock
   */
  private record Read(Function<Engine, List<Way>> ways, int runsPerLook) {
    static final Read GET = new Read(Engine::gets, 64);
    static final Read SCAN = new Read(Engine::scans, 1);
    static final Read SEEK = new Read(engine -> engine.seeks(SOUGHT_CELLS), 4);

    /** Random records, the same ones on every side. */
    Sample run(Way way, long records, int threads, double seconds) throws Exception {
      return new Crew(threads, seconds, runsPerLook)
          .run(
              thread -> {
                Engine.Access access = way.source().open();
                SplittableRandom random = new SplittableRandom(thread);
                return Crew.endless(() -> access.to(random.nextLong(records)), access);
              });
    }
  }

  /** Adds every way of every side. */
  private void addReads(
      Comparison comparison, Read read, OpenStores open, Records records, int threads) {
    for (Open store : open.list()) {
      for (Way way : read.ways().apply(store.engine())) {
        comparison.add(
            store.side(),
            way.name(),
            way.counts(),
            () -> read.run(way, records.count(), threads, run.seconds() / 2),
            _ -> read.run(way, records.count(), threads, run.seconds()));
      }
    }
  }

  // ---- opening

  /** From nothing to the first value read from a large store that was closed in order. */
  void open(Records records) throws Exception {
    try (Dataset data = new Dataset(run, "open", records)) {
      Comparison opened =
          new Comparison("open", "ms", Better.LOWER, sample -> sample.millis() / sample.runs());
      for (EngineSide side : sides) {
        Path directory = data.directory(side);
        opened.add(
            side,
            "",
            true,
            () -> openings(side, directory, records),
            _ -> openings(side, directory, records));
      }
      opened.run(
          run,
          stele,
          peer,
          false,
          "%s keys and values of %s bytes in all, files in the system's page cache"
              .formatted(Figures.text(records.count()), Figures.text(records.bytes())));
    }
  }

  /** Closing is not timed. */
  private static Sample openings(EngineSide side, Path directory, Records records)
      throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    double seconds = 0;
    for (int i = 0; i < OPENINGS; i++) {
      long record = random.nextLong(records.count());
      long start = System.nanoTime();
      try (Engine engine = side.open(directory, records, OPEN_CACHE);
          Engine.Access get = engine.gets().getFirst().source().open()) {
        get.to(record);
        seconds += (System.nanoTime() - start) / 1e9;
      }
    }
    return new Sample(OPENINGS, seconds, 0, 0);
  }

  // ---- growth

  /** A store of a side that has so many times the data, and what one read of it stands for. */
  private record Grown(Open store, int times, Records records) {}

  /**
   * What a get and a scanned row cost when there is more data. All sizes of both sides are open at
   * once and take turns, so that nothing but the amount of data differs between them.
   */
  void growth(Records first) throws Exception {
    List<AutoCloseable> closed = new ArrayList<>();
    List<Grown> stores = new ArrayList<>();
    try {
      for (int times : GROWTH) {
        Records records = new Records(first.valueSize(), first.count() * times);
        Dataset data = new Dataset(run, "growth-" + times + "x", records);
        closed.addFirst(data);
        OpenStores open = data.openWarm(sides, data.wholeCacheBytes());
        closed.addFirst(open);
        open.list().forEach(store -> stores.add(new Grown(store, times, records)));
      }
      growth("growth-get", Read.GET, stores, _ -> 1);
      growth("growth-scan", Read.SCAN, stores, grown -> grown.records().count());
    } finally {
      for (AutoCloseable each : closed) {
        each.close();
      }
    }
  }

  private void growth(
      String name, Read read, List<Grown> stores, ToDoubleFunction<Grown> operationsPerRun)
      throws Exception {
    List<Entrant<Sample>> entrants = new ArrayList<>();
    for (Grown grown : stores) {
      Way way = read.ways().apply(grown.store().engine()).getFirst();
      long records = grown.records().count();
      entrants.add(
          new Entrant<>(
              "%s, %d×".formatted(grown.store().side().name(), grown.times()),
              () -> read.run(way, records, 1, run.seconds() / 2),
              _ -> read.run(way, records, 1, run.seconds())));
    }
    List<Shown<Sample>> shown =
        run.contest(name, "µs a run", sample -> 1e6 / sample.perSecond(), entrants);
    Notes notes = new Notes();
    List<Double> growth = new ArrayList<>();
    for (EngineSide side : sides) {
      double once = 0;
      double most = 1;
      StringBuilder note = new StringBuilder(side.name());
      for (int i = 0; i < stores.size(); i++) {
        Grown grown = stores.get(i);
        if (!grown.store().side().equals(side)) {
          continue;
        }
        double micros = shown.get(i).figure() / operationsPerRun.applyAsDouble(grown);
        once = grown.times() == 1 ? micros : once;
        most = micros / once;
        note.append(
            grown.times() == 1
                ? " 1×: " + Figures.text(micros) + " µs"
                : ", %d×: %s".formatted(grown.times(), Figures.text(most)));
      }
      growth.add(most);
      notes.add(note.toString());
    }
    run.tell(
        Result.growth(
            name,
            "cost at " + GROWTH.getLast() + "×",
            growth.getFirst(),
            growth.stream().skip(1).findFirst(),
            peer.title(),
            MOST_GROWTH,
            notes.add(peer.absence()).noise(shown).toString()));
  }
}
