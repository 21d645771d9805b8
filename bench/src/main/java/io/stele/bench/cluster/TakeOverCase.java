package io.stele.bench.cluster;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Median;
import io.stele.bench.measure.Member;
import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The master is killed, and another that waits for that makes a table. */
final class TakeOverCase implements ScaleCase {
  @Override
  public String name() {
    return "master";
  }

  @Override
  public String about() {
    return "from kill -9 of the master to a table that was made";
  }

  @Override
  public List<Result> run(ScaleArena arena) throws Exception {
    ScaleSetup setup = arena.setup();
    List<List<Double>> seconds = new ArrayList<>();
    arena.clusters().forEach(_ -> seconds.add(new ArrayList<>()));
    for (int round = 0; round < setup.extent().rounds(); round++) {
      for (int i = 0; i < arena.clusters().size(); i++) {
        RunningCluster cluster = arena.clusters().get(i);
        double found = takeOver(cluster, round);
        seconds.get(i).add(found);
        setup
            .progress()
            .line(String.format(Locale.ROOT, "%-12s %-10s %.2f s", name(), cluster.name(), found));
      }
    }
    return List.of(
        Result.withoutGoal(
            name(),
            "s",
            Better.LOWER,
            median(seconds.getFirst()),
            seconds.stream().skip(1).map(TakeOverCase::median).findFirst(),
            setup.peerName(),
            setup.note(
                "%s; %d rounds; Stele's metastore has %d members, HBase's ZooKeeper one"
                    .formatted(about(), setup.extent().rounds(), ScaleBench.MEMBERS))));
  }

  /** The two take turns: the one that waits leads next, and the one that was killed waits then. */
  private static double takeOver(RunningCluster cluster, int round) throws Exception {
    Member leading = cluster.master(round % 2);
    long begin = System.nanoTime();
    leading.kill();
    var _ = cluster.ask("make taken" + round);
    double seconds = (System.nanoTime() - begin) / 1e9;
    leading.start();
    return seconds;
  }

  private static double median(List<Double> figures) {
    return Median.of(figures.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
