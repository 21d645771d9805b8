package io.stele.bench.cluster;

import io.stele.base.process.ChildProcess;
import io.stele.bench.Benchmark;
import io.stele.bench.Case;
import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.Running;
import io.stele.bench.cluster.Cluster.Server;
import io.stele.bench.cluster.ClusterSide.Plan;
import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Better;
import io.stele.bench.report.Notes;
import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code stele bench scale}: moves, many tablets and a master's death, beside HBase. */
@Command(
    name = "scale",
    description = {
      "Measure what clusters do with their tablets, beside HBase at the same session time-out.",
      "Servers, masters and what keeps the sessions run as processes of their own on this machine,"
          + " on one directory that they share. A ratio above 1 means that Stele is better."
    })
public final class ScaleCommand extends Benchmark<ScaleCommand.Work> {
  private static final long NEEDED_DISK_BYTES = 4L << 30;

  /** Of which the last joins when the others have many tablets. */
  private static final int SERVERS = 3;

  /** Of Stele's metastore when a master is killed. */
  private static final int MEMBERS = 3;

  private static final String MANY_TABLETS = "manytablets";
  private static final int LOOKUP_THREADS = 16;
  private static final String MOVED = "moved";
  private static final int MOVED_RECORDS = 10_000;
  private static final double MOST_MOVE_MILLIS = 500;

  /**
   * What a case does.
   *
   * @param plan of the clusters that it runs in, together with others of the same plan
   * @param running so many of the servers, to begin with
   */
  record Work(Plan plan, int running, OnClusters body) {}

  private interface OnClusters {
    void run(Arguments arguments) throws Exception;
  }

  private static final Plan SPREADING = new Plan(1, 1, SERVERS);
  private static final Plan TAKING_OVER = new Plan(MEMBERS, 2, 1);

  private final ClusterSides sides;

  @Option(
      names = "--tablets",
      paramLabel = "N",
      description = "Of the table that is spread and looked up (1,000; quick: 100).")
  private @Nullable Integer tablets;

  @Option(
      names = "--moves",
      paramLabel = "N",
      description = "Of a tablet that is written to, in each round (10; quick: 10).")
  private @Nullable Integer moves;

  @Option(
      names = "--offline",
      description = "Fetch nothing: HBase is absent if its jars are not on this machine.")
  private boolean offline;

  public ScaleCommand() {
    this(ClusterSides.REAL);
  }

  ScaleCommand(ClusterSides sides) {
    this.sides = sides;
  }

  private int tablets() {
    return (int) scaled("--tablets", tablets, 1_000, 100, 10, 100_000);
  }

  private int moves() {
    return (int) scaled("--moves", moves, 10, 10, 1, 10_000);
  }

  /** In one cluster in this order: the last of them changes it. */
  @Override
  protected List<Case<Work>> cases() {
    return List.of(
        new Case<>(
            "move",
            "the longest pause of a client's writes to a tablet that is moved",
            new Work(SPREADING, SERVERS - 1, this::move)),
        new Case<>(
            "lookups",
            "where a tablet of many is, by %d threads that remember nothing"
                .formatted(LOOKUP_THREADS),
            new Work(SPREADING, SERVERS - 1, this::lookups)),
        new Case<>(
            "spread",
            "from a server's start to its share of the tablets of two others",
            new Work(SPREADING, SERVERS - 1, this::spread)),
        new Case<>(
            "master",
            "from kill -9 of the master to a table that was created",
            new Work(TAKING_OVER, 1, this::takeOver)));
  }

  @Override
  protected long neededDiskBytes() {
    var _ = tablets();
    var _ = moves();
    return NEEDED_DISK_BYTES;
  }

  @Override
  protected String peerColumn() {
    return "HBASE";
  }

  @Override
  protected void measure(Run run, List<Case<Work>> wanted) throws Exception {
    ClusterSide stele = sides.stele();
    Peer<ClusterSide> peer = sides.peer(stele.session(), offline, run.progress());
    run.fact(
        "scale",
        String.format(
            Locale.ROOT, "%,d tablets; %,d moves; %s", tablets(), moves(), run.lengths()));
    run.facts(stele.facts());
    run.facts(peer.facts());
    for (Plan plan : List.of(SPREADING, TAKING_OVER)) {
      List<Case<Work>> cases =
          wanted.stream().filter(each -> each.work().plan().equals(plan)).toList();
      if (!cases.isEmpty()) {
        String names = String.join(", ", cases.stream().map(Case::name).toList());
        int running = cases.getFirst().work().running();
        run.attempt(
            "the clusters of " + names,
            () -> {
              try (Running<Cluster> clusters =
                  Running.start(
                      run,
                      peer.sides(stele),
                      "%s",
                      (side, directory) -> side.start(directory, plan).begin(running))) {
                Arguments arguments = new Arguments(run, peer, clusters, new HashSet<>());
                for (Case<Work> each : cases) {
                  run.attempt(each.name(), () -> each.work().body().run(arguments));
                }
              }
            });
      }
    }
  }

  /**
   * What a case works with.
   *
   * @param filled the names of clusters that have the table of many tablets
   */
  private record Arguments(
      Run run, Peer<ClusterSide> peer, Running<Cluster> clusters, Set<String> filled) {}

  // ---- the cases

  /** What a client that writes without a break sees of a tablet's moves. */
  private void move(Arguments arguments) throws Exception {
    for (Cluster cluster : arguments.clusters().list()) {
      var _ = cluster.ask("create " + MOVED);
      var _ = cluster.ask("fill %s 0 %d 1".formatted(MOVED, MOVED_RECORDS));
    }
    List<Shown<Sample>> shown =
        arguments
            .clusters()
            .contestWarm(
                "move",
                "ms at p50",
                sample -> sample.p50Micros() / 1e3,
                (cluster, round) ->
                    cluster.ask("moves %s %d".formatted(MOVED, round < 0 ? 2 : moves())));
    for (Cluster cluster : arguments.clusters().list()) {
      var _ = cluster.ask("drop " + MOVED);
    }
    String about =
        "the longest pause of a client's writes to a tablet that is moved; %d moves a round, %,d records"
            .formatted(moves(), MOVED_RECORDS);
    Run run = arguments.run();
    run.tell("move-p50", "ms", Better.LOWER, shown, arguments.peer(), null, new Notes().add(about));
    List<Double> slowest =
        shown.stream()
            .map(
                side ->
                    side.samples().stream().mapToDouble(Sample::p99Micros).max().orElseThrow()
                        / 1e3)
            .toList();
    run.tell(
        Result.bounded(
            "move-p99",
            "ms",
            slowest.getFirst(),
            slowest.stream().skip(1).findFirst(),
            arguments.peer().title(),
            MOST_MOVE_MILLIS,
            new Notes()
                .add(about)
                .add("must be below %.0f ms".formatted(MOST_MOVE_MILLIS))
                .add(arguments.peer().absence())
                .noise(shown)
                .toString()));
  }

  /** How often the catalog says where a tablet is, to a client that remembers nothing. */
  private void lookups(Arguments arguments) throws Exception {
    createManyTablets(arguments);
    Run run = arguments.run();
    List<Shown<Sample>> shown =
        arguments
            .clusters()
            .contestWarm(
                "lookups",
                "ops/s",
                Sample::perSecond,
                (cluster, round) ->
                    cluster.ask(
                        String.format(
                            Locale.ROOT,
                            "lookups %s %d %d %.6f %d",
                            MANY_TABLETS,
                            tablets(),
                            LOOKUP_THREADS,
                            run.seconds(),
                            round + 2)));
    run.tellRates(
        "lookups",
        "ops/s",
        "lookup",
        shown,
        arguments.peer(),
        null,
        new Notes()
            .add(
                "by %d threads that remember nothing, of %,d tablets"
                    .formatted(LOOKUP_THREADS, tablets())));
  }

  /** Creates the table of many tablets, unless that is done. */
  private void createManyTablets(Arguments arguments) throws Exception {
    for (Cluster cluster : arguments.clusters().list()) {
      if (!arguments.filled().add(cluster.name())) {
        continue;
      }
      double seconds = cluster.ask("parts %s %d".formatted(MANY_TABLETS, tablets())).seconds();
      arguments
          .run()
          .progress()
          .line("%s: %,d tablets created in %.1f s".formatted(cluster.name(), tablets(), seconds));
    }
  }

  /** A server joins two that have many tablets, until it has its share of them. */
  private void spread(Arguments arguments) throws Exception {
    createManyTablets(arguments);
    int share = tablets() / SERVERS * 9 / 10;
    List<String> lived = new ArrayList<>();
    List<Double> seconds = new ArrayList<>();
    for (Cluster cluster : arguments.clusters().list()) {
      Server joining = cluster.server(SERVERS - 1);
      long begin = System.nanoTime();
      joining.process().launch();
      var _ = cluster.ask("live " + SERVERS);
      double live = (System.nanoTime() - begin) / 1e9;
      var _ = cluster.ask("spread %s %d".formatted(joining.address(), share));
      seconds.add((System.nanoTime() - begin) / 1e9);
      lived.add(String.format(Locale.ROOT, "%s %.1f s", cluster.name(), live));
    }
    arguments
        .run()
        .tellFigures(
            "spread",
            "s",
            Better.LOWER,
            seconds,
            arguments.peer(),
            null,
            new Notes()
                .add(
                    "from a server's start to %,d of %,d tablets; once, as a cluster grows once; told to balance as soon as it lived, which took: %s"
                        .formatted(share, tablets(), String.join(", ", lived))));
  }

  /** The two masters take turns: the one that waits leads next. */
  private void takeOver(Arguments arguments) throws Exception {
    List<Shown<Sample>> shown =
        arguments
            .clusters()
            .contest(
                "master",
                "s",
                Sample::seconds,
                (cluster, round) -> {
                  ChildProcess leading = cluster.master(round % 2);
                  long begin = System.nanoTime();
                  leading.kill();
                  var _ = cluster.ask("make taken" + round);
                  double seconds = (System.nanoTime() - begin) / 1e9;
                  leading.launch();
                  return Sample.once(seconds);
                });
    arguments
        .run()
        .tell(
            "master",
            "s",
            Better.LOWER,
            shown,
            arguments.peer(),
            null,
            new Notes()
                .add(
                    "from kill -9 of the master to a table that was created; Stele's metastore has %d members, HBase's ZooKeeper one"
                        .formatted(MEMBERS)));
  }
}
