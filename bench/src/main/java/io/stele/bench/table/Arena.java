package io.stele.bench.table;

import io.stele.bench.measure.Contest;
import io.stele.bench.measure.Contest.Entrant;
import io.stele.bench.measure.Contest.Summary;
import io.stele.bench.measure.CpuCost;
import io.stele.bench.measure.CpuMeter;
import io.stele.bench.measure.Sample;
import io.stele.bench.table.ycsb.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;

/**
 * The servers of both sides, which run side by side and are measured in turns: the idle one costs
 * the other next to nothing.
 */
final class Arena implements AutoCloseable {
  /** The table of all workloads. */
  static final String TABLE = "usertable";

  private static final int WARM_UP_THREADS = 16;
  private static final int WARM_UP_RUNS = 40_000;
  private static final int SEED = 20_261_116;

  private final Setup setup;
  private final List<Contestant> contestants = new ArrayList<>();
  private final List<Path> directories = new ArrayList<>();
  private boolean filled;

  private Arena(Setup setup) {
    this.setup = setup;
  }

  static Arena open(Setup setup) throws Exception {
    Arena arena = new Arena(setup);
    try {
      for (Side side : setup.sides()) {
        Path directory = setup.workspace().directory(side.name());
        arena.directories.add(directory);
        Contestant contestant = side.start(directory);
        arena.contestants.add(contestant);
        contestant.awaitReady();
        setup.progress().line(side.name() + ": started");
      }
      return arena;
    } catch (Exception e) {
      arena.close();
      throw e;
    }
  }

  Setup setup() {
    return setup;
  }

  List<Contestant> contestants() {
    return contestants;
  }

  /** Fills the table of the workloads, on both sides, unless that is done. */
  void fill() throws Exception {
    if (filled) {
      return;
    }
    for (Contestant each : contestants) {
      var _ = each.ask("create " + TABLE);
      Answer answer = each.ask("fill %s 0 %d %d".formatted(TABLE, setup.scale().records(), SEED));
      setup
          .progress()
          .line(
              String.format(
                  Locale.ROOT,
                  "%s: %,d records filled in, in batches, in %.1f s",
                  each.name(),
                  setup.scale().records(),
                  answer.seconds()));
      long runs = warmUp(each, "run A " + TABLE + " " + setup.scale().records());
      setup.progress().line("%s: warmed up by %d operations".formatted(each.name(), runs));
    }
    filled = true;
  }

  /**
   * A JVM compiles what it did often, not what it did long: on a busy machine that takes longer.
   *
   * @param request without the number of threads and what follows it
   */
  long warmUp(Contestant contestant, String request) throws InterruptedException {
    long done = 0;
    for (int turn = 0; turn < setup.scale().warmUpTurns() && done < WARM_UP_RUNS; turn++) {
      Duration length = setup.scale().warmUp();
      done += contestant.ask(timed(request, WARM_UP_THREADS, length, -turn), length).runs();
    }
    return done;
  }

  private static String timed(String request, int threads, Duration length, long seed) {
    return String.format(
        Locale.ROOT, "%s %d %.6f %d", request, threads, length.toNanos() / 1e9, SEED + seed);
  }

  /** What the sides showed, Stele first. */
  record Outcome(List<Summary> summaries, List<CpuCost> costs) {}

  /**
   * Lets the sides take turns in a request that runs for a time.
   *
   * @param request without the number of threads and what follows it
   */
  Outcome contest(String name, String unit, String request, int threads) throws Exception {
    List<Entrant> entrants = new ArrayList<>();
    List<CpuCost> costs = new ArrayList<>();
    for (Contestant contestant : contestants) {
      AtomicLong turn = new AtomicLong(); // the same seeds on both sides
      CpuCost cost = new CpuCost();
      costs.add(cost);
      entrants.add(
          new Entrant(
              contestant.name(),
              () -> sample(contestant, request, threads, setup.scale().warmUp(), turn),
              () ->
                  cost.count(
                      contestant.servers(),
                      contestant.clients(),
                      () -> sample(contestant, request, threads, setup.scale().phase(), turn))));
    }
    ToDoubleFunction<Sample> figure = Sample::perSecond;
    return new Outcome(
        new Contest(name, unit, figure, setup.progress()).run(setup.scale().rounds(), entrants),
        costs);
  }

  private Sample sample(
      Contestant contestant, String request, int threads, Duration length, AtomicLong turn)
      throws InterruptedException {
    CpuMeter cpu = CpuMeter.start(processes());
    Answer answer = contestant.ask(timed(request, threads, length, turn.incrementAndGet()), length);
    return new Sample(
        answer.runs(), answer.seconds(), answer.p50Micros(), answer.p99Micros(), cpu.othersShare());
  }

  /** Of both sides, which use the machine on behalf of the benchmark. */
  private List<ProcessHandle> processes() {
    List<ProcessHandle> all = new ArrayList<>();
    for (Contestant contestant : contestants) {
      all.addAll(contestant.servers());
      all.addAll(contestant.clients());
    }
    return all;
  }

  Optional<Contestant> peer() {
    return contestants.stream().skip(1).findFirst();
  }

  @Override
  public void close() throws Exception {
    for (Contestant contestant : contestants) {
      contestant.close();
    }
    for (Path directory : directories) {
      setup.workspace().delete(directory);
    }
  }
}
