package io.stele.bench.cluster;

import io.stele.bench.Benchmark;
import io.stele.bench.Case;
import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.cluster.ClusterSide.Plan;
import io.stele.bench.driver.Records;
import io.stele.bench.measure.Arena.Entrant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code stele bench recovery}: what the death of a server costs, beside HBase. In each round every
 * side in turn starts a cluster, loses a server with each of the sizes, and gets it back.
 */
@Command(
    name = "recovery",
    description = {
      "Measure how long a table is away when its server is killed, beside HBase.",
      "Three tablet servers of each side, a master and what keeps the sessions run as processes of"
          + " their own on this machine, on one directory that they share, each change synced. The"
          + " server that has all of a table is killed (-9) when so many MiB are in its log alone;"
          + " until the first write, and until all is read. A ratio above 1 means that Stele is"
          + " better."
    })
public final class RecoveryCommand extends Benchmark<Integer> {
  private static final Plan PLAN = new Plan(1, 1, 3);
  private static final int WARM_UP_MEBIBYTES = 8;
  private static final int MOST_MEBIBYTES = 1 << 14;

  private final ClusterSides sides;

  @Option(
      names = "--unflushed",
      paramLabel = "MIB",
      split = ",",
      description =
          "What is in the log alone when a server is killed, one case each (0,64,256,1024; quick:"
              + " 0,16).")
  private List<Integer> unflushed = new ArrayList<>();

  @Option(
      names = "--offline",
      description = "Fetch nothing: HBase is absent if its jars are not on this machine.")
  private boolean offline;

  public RecoveryCommand() {
    this(ClusterSides.REAL);
  }

  RecoveryCommand(ClusterSides sides) {
    this.sides = sides;
  }

  private List<Integer> sizes() {
    return scaled(
            "--unflushed", unflushed, List.of(0, 64, 256, 1024), List.of(0, 16), 0, MOST_MEBIBYTES)
        .stream()
        .sorted()
        .toList();
  }

  @Override
  protected List<Case<Integer>> cases() {
    return sizes().stream()
        .map(
            size ->
                new Case<>(
                    caseName(size),
                    "from kill -9 with %d MiB in the log alone to the first write and to all data"
                        .formatted(size),
                    size))
        .toList();
  }

  static String caseName(int mebibytes) {
    return "recovery-" + mebibytes;
  }

  /** One cluster at a time: log, what is replayed of it, and files that are merged. */
  @Override
  protected long neededDiskBytes() {
    return 6 * sizes().stream().mapToLong(each -> (long) each << 20).sum() + (3L << 30);
  }

  @Override
  protected String peerColumn() {
    return "HBASE";
  }

  @Override
  protected void measure(Run run, List<Case<Integer>> wanted) throws Exception {
    List<Integer> chosen = wanted.stream().map(Case::work).toList();
    ClusterSide stele = sides.stele();
    Peer<ClusterSide> alike = sides.peer(stele.session(), offline, run.progress());
    // Each round of it takes longer than all the rest, and most of that is its time-out.
    int asItComesRounds = quick() ? 0 : 1;
    Peer<ClusterSide> asItComes = sides.peer(ClusterSides.HBASE_SESSION, offline, run.progress());
    if (quick()) {
      asItComes =
          new Peer.Absent<>(asItComes.name(), "one round of it takes longer than --quick may");
    }
    run.fact(
        "scale",
        "%s MiB not flushed; rounds: %d, of HBase as it comes %d; 4 tablets"
            .formatted(
                chosen.stream().map(String::valueOf).collect(Collectors.joining(", ")),
                run.rounds(),
                asItComesRounds));
    run.facts(stele.facts());
    run.facts(asItComes.facts());
    run.facts(alike.facts());
    List<ClusterSide> turns = new ArrayList<>(alike.sides(stele));
    if (asItComes instanceof Peer.Present(ClusterSide side)) {
      turns.add(side);
    }
    Map<String, Map<Integer, List<Outage>>> outages = new LinkedHashMap<>();
    List<Entrant<Double>> entrants = new ArrayList<>();
    for (ClusterSide side : turns) {
      int rounds = side.session().equals(stele.session()) ? run.rounds() : asItComesRounds;
      entrants.add(
          new Entrant<>(
              side.name(),
              () -> {},
              round ->
                  round < rounds
                      ? measure(
                          run,
                          side,
                          chosen,
                          round,
                          outages.computeIfAbsent(side.name(), _ -> new LinkedHashMap<>()))
                      : 0.0));
    }
    var _ = run.contest("recovery", "s of outages", Double::doubleValue, entrants);
    new RecoveryResults(stele, asItComes, alike, outages).results(chosen).forEach(run::tell);
  }

  /** One round of a side; adds its outages by size, and returns their seconds. */
  private double measure(
      Run run, ClusterSide side, List<Integer> sizes, int round, Map<Integer, List<Outage>> outages)
      throws InterruptedException {
    double[] seconds = {0};
    run.attempt(
        "%s in round %d".formatted(side.name(), round + 1),
        () ->
            run.within(
                side.name(),
                directory -> {
                  try (Cluster cluster = side.start(directory, PLAN)) {
                    cluster.begin(PLAN.servers());
                    OutageProbe probe = new OutageProbe(cluster);
                    if (!quick()) {
                      Outage first = probe.measure("warm", records(WARM_UP_MEBIBYTES), 1);
                      tell(run, side, "warm-up", first);
                    }
                    for (int size : sizes) {
                      Outage outage = probe.measure("table" + size, records(size), 2 + round);
                      outages.computeIfAbsent(size, _ -> new ArrayList<>()).add(outage);
                      seconds[0] += outage.readable();
                      tell(run, side, caseName(size), outage);
                    }
                    return cluster;
                  }
                }));
    return seconds[0];
  }

  private static long records(int mebibytes) {
    return ((long) mebibytes << 20) / Records.BYTES;
  }

  private static void tell(Run run, ClusterSide side, String name, Outage outage) {
    run.progress()
        .line(
            String.format(
                Locale.ROOT,
                "%-16s %-10s detected %6.2f  first write %6.2f  all tablets %6.2f  readable %6.2f "
                    + " counted %6.2f s  log %,d bytes",
                name,
                side.name(),
                outage.detected(),
                outage.written(),
                outage.allWritten(),
                outage.readable(),
                outage.counted(),
                outage.logBytes()));
  }
}
