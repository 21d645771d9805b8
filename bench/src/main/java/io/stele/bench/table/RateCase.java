package io.stele.bench.table;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Contest.Summary;
import io.stele.bench.report.Result;
import io.stele.bench.table.ycsb.Workload;
import java.util.List;
import java.util.Locale;

/**
 * Some threads that each do the next operation when the last one is done.
 *
 * @param unit of the rate
 * @param goal how many times the peer's rate is aimed at
 */
record RateCase(String group, String about, String unit, int threads, double goal, Work work)
    implements TableCase {
  private static final String LOAD_TABLE = "loadtable";

  /** How it is run, once all is prepared. */
  interface Work {
    Arena.Outcome run(Arena arena, RateCase owner) throws Exception;
  }

  /** Inserts into a table of its own, which is there only meanwhile. */
  static RateCase load(int threads, double goal) {
    return new RateCase(
        "load",
        "inserts of 1 KB records by " + people(threads),
        "inserts/s",
        threads,
        goal,
        RateCase::load);
  }

  static RateCase of(Workload workload, int threads, double goal) {
    return new RateCase(
        workload.name().toLowerCase(Locale.ROOT),
        "%s, by %s".formatted(workload.about(), people(threads)),
        "ops/s",
        threads,
        goal,
        (arena, owner) -> owner.run(arena, workload));
  }

  /** Rows of 1 KB, a thousand at a time: so many requests are so many megabytes. */
  static RateCase sweep(int threads, double goal) {
    return new RateCase(
        "sweep",
        "reads of 1,000 rows of 1 KB one after the other, by " + people(threads),
        "MB/s",
        threads,
        goal,
        (arena, owner) -> {
          arena.fill();
          String request = "sweep %s %d".formatted(Arena.TABLE, arena.setup().scale().records());
          return arena.contest(owner.name(), owner.unit, request, owner.threads);
        });
  }

  private static String people(int threads) {
    return threads == 1 ? "1 thread" : threads + " threads";
  }

  @Override
  public String name() {
    return group + "-" + threads;
  }

  private static Arena.Outcome load(Arena arena, RateCase owner) throws Exception {
    for (Contestant each : arena.contestants()) {
      var _ = each.ask("create " + LOAD_TABLE);
      var _ = arena.warmUp(each, "load " + LOAD_TABLE);
    }
    Arena.Outcome outcome =
        arena.contest(owner.name(), owner.unit, "load " + LOAD_TABLE, owner.threads);
    for (Contestant each : arena.contestants()) {
      var _ = each.ask("drop " + LOAD_TABLE);
    }
    return outcome;
  }

  private Arena.Outcome run(Arena arena, Workload workload) throws Exception {
    arena.fill();
    String request =
        "run %s %s %d".formatted(workload, Arena.TABLE, arena.setup().scale().records());
    return arena.contest(name(), unit, request, threads);
  }

  @Override
  public Result run(Arena arena) throws Exception {
    Arena.Outcome outcome = work.run(arena, this);
    List<Summary> summaries = outcome.summaries();
    return Result.besidePeer(
        name(),
        unit,
        Better.HIGHER,
        summaries.getFirst().figure(),
        summaries.stream().skip(1).map(Summary::figure).findFirst(),
        arena.setup().peerName(),
        goal,
        arena
            .setup()
            .notes()
            .latency(summaries)
            .cpu(outcome.costs(), "operation")
            .noise(summaries)
            .toString());
  }
}
