package io.stele.bench.table;

import io.stele.bench.report.Result;
import io.stele.bench.table.ycsb.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** All cases of {@code stele bench table}, and the order in which they run. */
final class TableBench {
  /** Those that insert come last, as YCSB has it. */
  private static final List<Workload> WORKLOADS =
      List.of(Workload.A, Workload.B, Workload.C, Workload.F, Workload.D, Workload.E);

  private static final double HBASE_GOAL = 5;
  private static final double EMULATOR_GOAL = 1;

  /** A case that gave no figures, and why. */
  record Failure(String name, Exception problem) {}

  private final Setup setup;
  private final Consumer<Result> results;

  TableBench(Setup setup, Consumer<Result> results) {
    this.setup = setup;
    this.results = results;
  }

  static List<TableCase> cases(List<Integer> threads) {
    List<TableCase> all = new ArrayList<>();
    threads.forEach(count -> all.add(RateCase.load(count, HBASE_GOAL)));
    for (Workload workload : WORKLOADS) {
      threads.forEach(count -> all.add(RateCase.of(workload, count, HBASE_GOAL)));
    }
    all.add(new MemoryCase());
    all.add(RestartCase.start());
    all.add(RestartCase.recovery());
    return all;
  }

  /** Those beside Bigtable's emulator, which keeps nothing and so starts anew each time. */
  static List<TableCase> bigtableCases(List<Integer> threads) {
    List<TableCase> all = new ArrayList<>();
    threads.forEach(count -> all.add(RateCase.load(count, EMULATOR_GOAL)));
    for (Workload workload : WORKLOADS) {
      threads.forEach(count -> all.add(RateCase.of(workload, count, EMULATOR_GOAL)));
    }
    threads.forEach(count -> all.add(RateCase.sweep(count, EMULATOR_GOAL)));
    return all;
  }

  /**
   * Runs the wanted cases; each result is handed over as soon as it is known.
   *
   * @return the cases that failed; the others ran nevertheless
   */
  List<Failure> run(List<TableCase> wanted) throws Exception {
    List<Failure> failures = new ArrayList<>();
    try (Arena arena = Arena.open(setup)) {
      for (TableCase each : wanted) {
        try {
          results.accept(each.run(arena));
        } catch (InterruptedException e) {
          throw e;
        } catch (Exception e) {
          failures.add(new Failure(each.name(), e));
          setup.progress().line("%s FAILED: %s".formatted(each.name(), e));
        }
      }
    }
    return failures;
  }
}
