package io.stele.bench.cluster;

import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** All cases of {@code stele bench scale}, and the clusters that they run in. */
final class ScaleBench {
  /** Of which the last joins when the others have many tablets. */
  static final int SERVERS = 3;

  /** Of Stele's metastore when a master is killed. */
  static final int MEMBERS = 3;

  private static final Plan SPREADING = new Plan(1, 1, SERVERS);
  private static final Plan TAKING_OVER = new Plan(MEMBERS, 2, 1);

  /** In one cluster, in this order: the last changes it. */
  private static final List<ScaleCase> OF_TABLETS =
      List.of(new MoveCase(), new LookupCase(), new SpreadCase());

  private static final List<ScaleCase> OF_MASTERS = List.of(new TakeOverCase());

  /** A case that gave no figures, and why. */
  record Failure(String name, Exception problem) {}

  private final ScaleSetup setup;
  private final Consumer<Result> results;
  private final List<Failure> failures = new ArrayList<>();

  ScaleBench(ScaleSetup setup, Consumer<Result> results) {
    this.setup = setup;
    this.results = results;
  }

  static List<ScaleCase> cases() {
    List<ScaleCase> all = new ArrayList<>(OF_TABLETS);
    all.addAll(OF_MASTERS);
    return all;
  }

  /**
   * Runs the wanted cases; each result is handed over as soon as it is known.
   *
   * @return the cases that failed; the others ran nevertheless
   */
  List<Failure> run(List<ScaleCase> wanted) throws InterruptedException {
    runIn(SPREADING, SERVERS - 1, OF_TABLETS.stream().filter(wanted::contains).toList());
    runIn(TAKING_OVER, 1, OF_MASTERS.stream().filter(wanted::contains).toList());
    return failures;
  }

  private void runIn(Plan plan, int running, List<ScaleCase> cases) throws InterruptedException {
    if (cases.isEmpty()) {
      return;
    }
    String names = String.join(", ", cases.stream().map(ScaleCase::name).toList());
    attempt(
        "the clusters of " + names,
        () -> {
          try (ScaleArena arena = ScaleArena.open(setup, plan, running)) {
            for (ScaleCase each : cases) {
              attempt(each.name(), () -> each.run(arena).forEach(results));
            }
          }
        });
  }

  private interface Step {
    void run() throws Exception;
  }

  private void attempt(String name, Step step) throws InterruptedException {
    try {
      step.run();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      failures.add(new Failure(name, e));
      setup.progress().line("%s FAILED: %s".formatted(name, e));
    }
  }
}
