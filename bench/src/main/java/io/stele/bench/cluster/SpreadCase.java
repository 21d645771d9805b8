package io.stele.bench.cluster;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Member;
import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A server that joins two that have many tablets, until it has its share of them. */
final class SpreadCase implements ScaleCase {
  @Override
  public String name() {
    return "spread";
  }

  @Override
  public String about() {
    return "from a server's start to its share of the tablets of two others";
  }

  @Override
  public List<Result> run(ScaleArena arena) throws Exception {
    ScaleSetup setup = arena.setup();
    var _ = arena.manyTablets();
    int share = setup.extent().share(ScaleBench.SERVERS);
    List<Double> seconds = new ArrayList<>();
    List<String> starts = new ArrayList<>();
    for (RunningCluster cluster : arena.clusters()) {
      Member joining = cluster.server(ScaleBench.SERVERS - 1);
      long begin = System.nanoTime();
      joining.start();
      var _ = cluster.ask("live " + ScaleBench.SERVERS);
      double live = (System.nanoTime() - begin) / 1e9;
      var _ = cluster.ask("spread %s %d".formatted(joining.address(), share));
      double done = (System.nanoTime() - begin) / 1e9;
      seconds.add(done);
      starts.add(String.format(Locale.ROOT, "%s %.1f s", cluster.name(), live));
      setup
          .progress()
          .line(
              String.format(
                  Locale.ROOT,
                  "%-12s %-10s %d tablets after %.1f s, lived after %.1f s",
                  name(),
                  cluster.name(),
                  share,
                  done,
                  live));
    }
    return List.of(
        Result.withoutGoal(
            name(),
            "s",
            Better.LOWER,
            seconds.getFirst(),
            seconds.stream().skip(1).findFirst(),
            setup.peerName(),
            setup.note(
                "%s: %,d of %,d; told to balance as soon as it lived, which took: %s"
                    .formatted(
                        about(), share, setup.extent().tablets(), String.join(", ", starts)))));
  }
}
