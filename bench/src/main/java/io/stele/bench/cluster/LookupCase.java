package io.stele.bench.cluster;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Median;
import io.stele.bench.report.Result;
import io.stele.bench.table.ycsb.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How often the catalog says where a tablet is, to a client that remembers nothing. */
final class LookupCase implements ScaleCase {
  private static final int THREADS = 16;

  @Override
  public String name() {
    return "lookups";
  }

  @Override
  public String about() {
    return "where a tablet of many is, by %d threads that remember nothing".formatted(THREADS);
  }

  @Override
  public List<Result> run(ScaleArena arena) throws Exception {
    ScaleSetup setup = arena.setup();
    String table = arena.manyTablets();
    List<List<Double>> rates = new ArrayList<>();
    List<String> latencies = new ArrayList<>();
    for (RunningCluster cluster : arena.clusters()) {
      rates.add(new ArrayList<>());
      latencies.add("");
      var _ = cluster.ask(request(table, setup.extent(), -1)); // not on the clock
    }
    for (int round = 0; round < setup.extent().rounds(); round++) {
      for (int i = 0; i < arena.clusters().size(); i++) {
        RunningCluster cluster = arena.clusters().get(i);
        Answer answer = cluster.ask(request(table, setup.extent(), round));
        rates.get(i).add(answer.runs() / answer.seconds());
        latencies.set(
            i,
            String.format(
                Locale.ROOT,
                "%s %,.0f/%,.0f",
                cluster.name(),
                answer.p50Micros(),
                answer.p99Micros()));
        setup
            .progress()
            .line(
                String.format(
                    Locale.ROOT,
                    "%-12s %-10s %,.0f a second",
                    name(),
                    cluster.name(),
                    answer.runs() / answer.seconds()));
      }
    }
    return List.of(
        Result.withoutGoal(
            name(),
            "ops/s",
            Better.HIGHER,
            median(rates.getFirst()),
            rates.stream().skip(1).map(LookupCase::median).findFirst(),
            setup.peerName(),
            setup.note(
                "%s, of %,d; p50/p99 µs: %s"
                    .formatted(about(), setup.extent().tablets(), String.join(", ", latencies)))));
  }

  private static String request(String table, ScaleExtent extent, int round) {
    return String.format(
        Locale.ROOT,
        "lookups %s %d %d %.6f %d",
        table,
        extent.tablets(),
        THREADS,
        extent.phase().toNanos() / 1e9,
        round + 2);
  }

  private static double median(List<Double> figures) {
    return Median.of(figures.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
