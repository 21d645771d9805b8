package io.stele.bench.table;

import io.stele.bench.Case;
import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.Running;
import io.stele.bench.driver.Sample;
import io.stele.bench.driver.Workload;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Better;
import io.stele.bench.measure.Memory;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Notes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The cases of {@code stele bench table}, on a server of each side, which run side by side. The
 * table that most of them work on is filled when it is first needed.
 */
final class TableCases implements AutoCloseable {
  /** Those that insert come last, as YCSB has it. */
  private static final List<Workload> WORKLOADS =
      List.of(Workload.A, Workload.B, Workload.C, Workload.F, Workload.D, Workload.E);

  private static final double MEMORY_GOAL = 2;
  private static final double RESTART_GOAL = 5;

  private static final String TABLE = "usertable";
  private static final String LOAD_TABLE = "loadtable";
  private static final String CRASH_TABLE = "crashtable";

  private static final int WARM_UP_THREADS = 16;
  private static final int WARM_UP_RUNS = 40_000;
  private static final int SEED = 20_261_116;

  /** Spread over a table: if these are there, all parts of it are served. */
  private static final int PROBES = 64;

  /** What is done before memory is looked at. */
  private static final long MEMORY_OPERATIONS = 200_000;

  /** What a case does on the servers. */
  interface Work {
    void run(TableCases servers) throws Exception;
  }

  /**
   * How much is measured.
   *
   * @param records in the table before the workloads
   * @param warmUpTurns the most phases that a side warms up by each kind of request
   * @param unflushedRecords written since the last flush when a server is killed
   */
  record Scale(long records, int warmUpTurns, long unflushedRecords) {}

  private final Run run;
  private final Scale scale;
  private final Peer<TableSide> peer;
  private final Running<TableServer> servers;
  private boolean filled;

  TableCases(Run run, Scale scale, TableSide stele, Peer<TableSide> peer) throws Exception {
    this.run = run;
    this.scale = scale;
    this.peer = peer;
    this.servers =
        Running.start(
            run, peer.sides(stele), "%s", (side, directory) -> side.start(directory).ready());
  }

  // ---- the cases

  /** Load and workloads, at each number of threads. */
  static List<Case<Work>> rates(List<Integer> threads, double goal) {
    List<Case<Work>> all = new ArrayList<>();
    for (int count : threads) {
      all.add(
          rate(
              "load",
              "inserts of 1 KB records by " + Case.count(count, "thread"),
              count,
              servers -> servers.load(count, goal)));
    }
    for (Workload workload : WORKLOADS) {
      for (int count : threads) {
        String group = workload.name().toLowerCase(Locale.ROOT);
        all.add(
            rate(
                group,
                "%s, by %s".formatted(workload.about(), Case.count(count, "thread")),
                count,
                servers ->
                    servers.runOnTable(group, "ops/s", "run " + workload + " ", count, goal)));
      }
    }
    return all;
  }

  /** Rows of 1 KB, a thousand at a time: so many requests are so many megabytes. */
  static List<Case<Work>> sweeps(List<Integer> threads, double goal) {
    List<Case<Work>> all = new ArrayList<>();
    for (int count : threads) {
      all.add(
          rate(
              "sweep",
              "reads of 1,000 rows of 1 KB one after the other, by " + Case.count(count, "thread"),
              count,
              servers -> servers.runOnTable("sweep", "MB/s", "sweep ", count, goal)));
    }
    return all;
  }

  private static Case<Work> rate(String group, String about, int threads, Work work) {
    return new Case<>(group + "-" + threads, group, about, work);
  }

  /** Those that stop the servers come last. */
  static List<Case<Work>> costs() {
    return List.of(
        new Case<>(
            "memory",
            "memory that a server needs after a restart and the same number of operations",
            TableCases::memory),
        new Case<>(
            "start",
            "from the start of a server that was stopped cleanly to the first read",
            TableCases::start),
        new Case<>(
            "recovery",
            "from kill -9 with writes that are in the log alone until all of them are read",
            TableCases::recovery));
  }

  // ---- rates

  /** Fills the table of the workloads, on both sides, unless that is done. */
  private void fill() throws Exception {
    if (filled) {
      return;
    }
    for (TableServer each : servers.list()) {
      var _ = each.ask("create " + TABLE);
      double seconds =
          each.ask("fill %s 0 %d %d".formatted(TABLE, scale.records(), SEED)).seconds();
      long runs = warmUp(each, "run A %s %d".formatted(TABLE, scale.records()));
      run.progress()
          .line(
              String.format(
                  Locale.ROOT,
                  "%s: %,d records filled in, in batches, in %.1f s; warmed up by %,d operations",
                  each.name(),
                  scale.records(),
                  seconds,
                  runs));
    }
    filled = true;
  }

  /**
   * A JVM compiles what it did often, not what it did long: on a busy machine that takes longer.
   *
   * @param request without the number of threads and what follows it
   */
  private long warmUp(TableServer server, String request) throws InterruptedException {
    long done = 0;
    for (int turn = 0; turn < scale.warmUpTurns() && done < WARM_UP_RUNS; turn++) {
      done += ask(server, request, WARM_UP_THREADS, run.warmUp(), -2 - turn).runs();
    }
    return done;
  }

  private static Sample ask(
      TableServer server, String request, int threads, Duration length, long seed)
      throws InterruptedException {
    return server.ask(
        String.format(
            Locale.ROOT, "%s %d %.6f %d", request, threads, length.toNanos() / 1e9, SEED + seed),
        length);
  }

  /** Inserts into a table of its own, which is there only meanwhile. */
  private void load(int threads, double goal) throws Exception {
    String request = "load " + LOAD_TABLE;
    for (TableServer each : servers.list()) {
      var _ = each.ask("create " + LOAD_TABLE);
      var _ = warmUp(each, request);
    }
    contest("load-" + threads, "inserts/s", request, threads, goal);
    for (TableServer each : servers.list()) {
      var _ = each.ask("drop " + LOAD_TABLE);
    }
  }

  private void runOnTable(String group, String unit, String request, int threads, double goal)
      throws Exception {
    fill();
    contest(
        group + "-" + threads,
        unit,
        "%s%s %d".formatted(request, TABLE, scale.records()),
        threads,
        goal);
  }

  /** Lets the sides take turns in a request that runs for a time, with the same seeds on both. */
  private void contest(String name, String unit, String request, int threads, double goal)
      throws Exception {
    List<Shown<Sample>> shown =
        servers.contestWarm(
            name,
            unit,
            Sample::perSecond,
            (server, round) ->
                ask(
                    server,
                    request,
                    threads,
                    round == Running.WARM_UP ? run.warmUp() : run.phase(),
                    round));
    run.tellRates(name, unit, "operation", shown, peer, goal, new Notes());
  }

  // ---- memory

  private void memory() throws Exception {
    fill();
    long operations = Math.min(MEMORY_OPERATIONS, scale.records());
    List<Shown<Memory>> shown =
        servers.contest(
            "memory",
            "bytes",
            Memory::needed,
            (server, round) -> memory(server, operations, round));
    Notes notes =
        new Notes()
            .add(Memory.METHOD)
            .add(
                "after a restart and %s operations of workload A"
                    .formatted(Figures.text(operations)));
    for (Shown<Memory> side : shown) {
      notes.add(
          "%s resident: %s".formatted(side.name(), Figures.text(side.median(Memory::resident))));
    }
    run.tell("memory", "bytes", Better.LOWER, shown, peer, MEMORY_GOAL, notes);
  }

  private Memory memory(TableServer server, long operations, int round) throws Exception {
    server.stop();
    var _ = launchAndRead(server);
    var _ =
        server.ask(
            "work A %s %d %d %d %d"
                .formatted(TABLE, scale.records(), WARM_UP_THREADS, operations, SEED + round));
    return Memory.of(server.servers());
  }

  // ---- restarts

  /** The seconds from the start of the process to the first successful read. */
  private static double launchAndRead(TableServer server) throws Exception {
    long begin = System.nanoTime();
    server.launch();
    var _ = server.ask("await %s 0 1 1".formatted(TABLE));
    return (System.nanoTime() - begin) / 1e9;
  }

  private void start() throws Exception {
    restarts(
        "start",
        "from the start of the process to the first read",
        (server, _) -> {
          server.stop();
          return launchAndRead(server);
        });
  }

  private void recovery() throws Exception {
    fill();
    for (TableServer server : servers.list()) {
      var _ = server.ask("create " + CRASH_TABLE);
    }
    restarts(
        "recovery",
        "from kill -9 with %s records in the log alone until all parts of them are read"
            .formatted(Figures.text(scale.unflushedRecords())),
        this::crashAndRead);
  }

  private double crashAndRead(TableServer server, int round) throws Exception {
    long count = scale.unflushedRecords();
    long first = count * round; // new ones each time
    var _ = server.ask("flush " + TABLE);
    var _ = server.ask("flush " + CRASH_TABLE);
    var _ = server.ask("fill %s %d %d %d".formatted(CRASH_TABLE, first, count, round));
    long begin = System.nanoTime();
    server.kill();
    server.launch();
    var _ = server.ask("await %s %d %d %d".formatted(CRASH_TABLE, first, count, PROBES));
    double seconds = (System.nanoTime() - begin) / 1e9;
    var _ = server.ask("verify %s %d %d".formatted(CRASH_TABLE, first, count));
    return seconds;
  }

  private interface Restart {
    double seconds(TableServer server, int round) throws Exception;
  }

  private void restarts(String name, String note, Restart restart) throws Exception {
    fill();
    List<Shown<Sample>> shown =
        servers.contest(
            name,
            "ms",
            Sample::millis,
            (server, round) -> Sample.once(restart.seconds(server, round)));
    run.tell(name, "ms", Better.LOWER, shown, peer, RESTART_GOAL, new Notes().add(note));
  }

  @Override
  public void close() throws Exception {
    servers.close();
  }
}
