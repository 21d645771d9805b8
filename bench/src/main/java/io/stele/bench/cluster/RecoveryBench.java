package io.stele.bench.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The rounds of {@code stele bench recovery}. In each one, every side in turn starts a cluster,
 * loses a server with each of the sizes, and gets it back.
 */
final class RecoveryBench {
  private static final Plan PLAN = new Plan(1, 1, 3);
  private static final int WARM_UP_MEBIBYTES = 8;

  /** What gave no figures, and why. */
  record Failure(String name, Exception problem) {}

  /** What was measured: by side, then by size, in the order of rounds. */
  record Outcome(Map<String, Map<Integer, List<Outage>>> outages, List<Failure> failures) {
    List<Outage> of(ClusterSide side, int mebibytes) {
      return outages.getOrDefault(side.name(), Map.of()).getOrDefault(mebibytes, List.of());
    }
  }

  private final RecoverySetup setup;
  private final List<Integer> sizes;
  private final Map<String, Map<Integer, List<Outage>>> outages = new LinkedHashMap<>();
  private final List<Failure> failures = new ArrayList<>();

  /** Of these sizes, in MiB. */
  RecoveryBench(RecoverySetup setup, List<Integer> sizes) {
    this.setup = setup;
    this.sizes = List.copyOf(sizes);
  }

  static String caseName(int mebibytes) {
    return "recovery-" + mebibytes;
  }

  Outcome run() throws InterruptedException {
    for (int round = 0; round < setup.extent().rounds(); round++) {
      attempt(setup.stele(), round);
      if (setup.alike() instanceof Rival.Present(ClusterSide side)) {
        attempt(side, round);
      }
      if (round < setup.extent().recommendedRounds()
          && setup.recommended() instanceof Rival.Present(ClusterSide side)) {
        attempt(side, round);
      }
    }
    return new Outcome(outages, failures);
  }

  private void attempt(ClusterSide side, int round) throws InterruptedException {
    String where = "%s in round %d".formatted(side.name(), round + 1);
    try {
      Path directory = setup.workspace().directory(side.name());
      try {
        measure(side, directory, round);
      } finally {
        setup.workspace().delete(directory);
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      failures.add(new Failure(where, e));
      setup.progress().line("%s FAILED: %s".formatted(where, e));
    }
  }

  private void measure(ClusterSide side, Path directory, int round) throws Exception {
    try (RunningCluster cluster = side.start(directory, PLAN)) {
      cluster.begin(PLAN.servers());
      setup.progress().line(side.name() + ": started");
      OutageProbe probe = new OutageProbe(cluster, PLAN.servers());
      if (setup.extent().warmUp()) {
        Outage first = probe.measure("warm", RecoveryExtent.records(WARM_UP_MEBIBYTES), 1);
        tell(side, "warm-up", round, first);
      }
      for (int size : sizes) {
        Outage outage = probe.measure("table" + size, RecoveryExtent.records(size), 2 + round);
        outages
            .computeIfAbsent(side.name(), _ -> new LinkedHashMap<>())
            .computeIfAbsent(size, _ -> new ArrayList<>())
            .add(outage);
        tell(side, caseName(size), round, outage);
      }
    }
  }

  private void tell(ClusterSide side, String name, int round, Outage outage) {
    setup
        .progress()
        .line(
            String.format(
                Locale.ROOT,
                "%-16s %d  %-10s detected %6.2f  first write %6.2f  all tablets %6.2f  readable"
                    + " %6.2f  counted %6.2f s  log %,d bytes",
                name,
                round + 1,
                side.name(),
                outage.detected(),
                outage.written(),
                outage.allWritten(),
                outage.readable(),
                outage.counted(),
                outage.logBytes()));
  }
}
