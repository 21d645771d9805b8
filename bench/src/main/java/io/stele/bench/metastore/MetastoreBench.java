package io.stele.bench.metastore;

import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** All cases of {@code stele bench metastore}, and the order in which they run. */
final class MetastoreBench {
  private static final int CLIENTS = 64;

  private static final List<MetastoreCase.InArena> IN_ARENA =
      List.of(
          RequestCase.put(1),
          RequestCase.put(64),
          RequestCase.put(512),
          new MemoryCase(),
          RequestCase.get(1),
          RequestCase.get(64),
          RequestCase.get(512),
          RequestCase.range(CLIENTS),
          RequestCase.transaction(CLIENTS),
          RequestCase.transactionAtOnce(CLIENTS),
          new WatchCase());

  private static final List<MetastoreCase.Once> ONCE = List.of(new StoreCase());

  /** A case that gave no figures, and why. */
  record Failure(String name, Exception problem) {}

  private final Setup setup;
  private final Consumer<Result> results;
  private final List<Failure> failures = new ArrayList<>();

  MetastoreBench(Setup setup, Consumer<Result> results) {
    this.setup = setup;
    this.results = results;
  }

  static List<MetastoreCase> cases() {
    List<MetastoreCase> all = new ArrayList<>(IN_ARENA);
    all.addAll(ONCE);
    return all;
  }

  static Optional<MetastoreCase> find(String name) {
    return cases().stream().filter(each -> each.name().equals(name)).findFirst();
  }

  /**
   * Runs the wanted cases; each result is handed over as soon as it is known.
   *
   * @return the cases that failed; the others ran nevertheless
   */
  List<Failure> run(List<MetastoreCase> wanted) throws Exception {
    List<MetastoreCase.InArena> inArena = IN_ARENA.stream().filter(wanted::contains).toList();
    if (!inArena.isEmpty()) {
      for (int members : setup.scale().members()) {
        attempt("groups of " + members, () -> runInArena(members, inArena));
      }
    }
    for (MetastoreCase.Once each : ONCE) {
      if (wanted.contains(each)) {
        attempt(each.name(), () -> each.run(setup).forEach(results));
      }
    }
    return failures;
  }

  private void runInArena(int members, List<MetastoreCase.InArena> wanted) throws Exception {
    try (Arena arena = Arena.open(setup, members)) {
      for (MetastoreCase.InArena each : wanted) {
        attempt(arena.name(each.name()), () -> each.run(arena).forEach(results));
      }
    }
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
