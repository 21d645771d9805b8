package io.stele.bench.replica;

import io.stele.base.table.Consistency.Acks;
import io.stele.bench.Benchmark;
import io.stele.bench.Case;
import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Arena.Entrant;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Better;
import io.stele.bench.measure.ClosedLoop;
import io.stele.bench.measure.Median;
import io.stele.bench.replica.TrialRun.Extent;
import io.stele.bench.replica.TrialRun.Timing;
import io.stele.bench.replica.TrialRun.Trial;
import io.stele.bench.report.Notes;
import io.stele.bench.report.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code stele bench replica}: what replicas cost. Its results:
 *
 * <pre>
 *   write-LEVEL-N, write-tablet-N     acknowledged writes/s of N writers, beside the limit's
 *   converge, split, replace          seconds, beside those in which the limit writes as many bytes
 *   split-tablet, replace-tablet      likewise of a tablet table, which copies nothing
 * </pre>
 */
@Command(
    name = "replica",
    description = {
      "Measure replicated tables, beside a tablet table and RocksDB.",
      "Three servers of each kind of table, and what keeps their sessions, run as processes of"
          + " their own on this machine, each change synced. How many writes are acknowledged at"
          + " each level, how long replicas take to be alike after a cut, to be split under writes"
          + " and to be replaced. RocksDB, in this process, with one sync for all writes that wait,"
          + " is the limit: what one copy without a network takes. A ratio above 1 means that Stele"
          + " is better."
    })
public final class ReplicaCommand extends Benchmark<ReplicaCommand.Work> {
  private static final String TABLE = "writes";
  private static final List<Integer> WRITERS = List.of(1, 16, 64);
  private static final int WARM_UP_WRITERS = 64;
  private static final long RECORDS = 1_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int MOST_MEGABYTES = 1 << 16;
  private static final int LONGEST_CUT = 600;

  /** Longer than any cut: nobody is replaced. */
  private static final Duration NEVER = Duration.ofHours(1);

  /** So that what is measured is the copying. */
  private static final Duration DEAD_AFTER = Duration.ofSeconds(1);

  /** What a case does. */
  sealed interface Work {}

  private record Write(int writers) implements Work {}

  private record Timed(Trial trial) implements Work {}

  private final ReplicaSides sides;
  private final AtomicLong editions = new AtomicLong();

  @Option(
      names = "--megabytes",
      paramLabel = "MB",
      description = "Of the table that is split, and of which a server is lost (1000; quick: 20).")
  private @Nullable Integer megabytes;

  @Option(
      names = "--cut",
      paramLabel = "S",
      description = "Seconds for which a server is cut off (30; quick: 3).")
  private @Nullable Integer cut;

  public ReplicaCommand() {
    this(ReplicaSides.real());
  }

  ReplicaCommand(ReplicaSides sides) {
    this.sides = sides;
  }

  @Override
  protected List<Case<Work>> cases() {
    List<Case<Work>> all = new ArrayList<>();
    for (int writers : WRITERS) {
      all.add(
          new Case<>(
              "write-" + writers,
              "writes of %d-byte values by %s, acknowledged by one, a majority and all of 3 replicas"
                  .formatted(Rows.SMALL_VALUE, Case.count(writers, "writer")),
              new Write(writers)));
    }
    for (Trial trial : Trial.values()) {
      all.add(new Case<>(trial.caseName(), trial.about(), new Timed(trial)));
    }
    return all;
  }

  private long megabytes() {
    return scaled("--megabytes", megabytes, 1_000, 20, 1, MOST_MEGABYTES);
  }

  private Extent extent() {
    return new Extent(
        megabytes() * 1_000_000 / Rows.LARGE_VALUE,
        phase(),
        Duration.ofSeconds(scaled("--cut", cut, 30, 3, 0, LONGEST_CUT)));
  }

  /** Logs, files and what is merged of a table and of its halves, on each replica and a spare. */
  @Override
  protected long neededDiskBytes() {
    var _ = extent();
    return 20 * megabytes() * 1_000_000 + (4L << 30);
  }

  @Override
  protected String peerColumn() {
    return sides.limit().name().toUpperCase(Locale.ROOT);
  }

  @Override
  protected void measure(Run run, List<Case<Work>> wanted) throws Exception {
    run.fact(
        "scale",
        "%s; values of %d bytes; tables of %d MB, with values of %d; cuts of %d s; a lost server is replaced %d s after its session of 5 s"
            .formatted(
                run.lengths(),
                Rows.SMALL_VALUE,
                megabytes(),
                Rows.LARGE_VALUE,
                extent().cut().toSeconds(),
                DEAD_AFTER.toSeconds()));
    run.facts(sides.replicated().facts());
    run.facts(sides.tablets().facts());
    run.facts(sides.limit().facts());
    List<Integer> writers = new ArrayList<>();
    List<Trial> trials = new ArrayList<>();
    for (Case<Work> each : wanted) {
      switch (each.work()) {
        case Write(int count) -> writers.add(count);
        case Timed(Trial trial) -> trials.add(trial);
      }
    }
    if (!writers.isEmpty()) {
      run.attempt("writes", () -> writes(run, writers));
    }
    if (!trials.isEmpty()) {
      trials(run, trials);
    }
  }

  // ---- rates

  private interface OnServers {
    void run(TableServers servers) throws Exception;
  }

  private static void with(Run run, ReplicaSide side, Duration deadAfter, OnServers step)
      throws Exception {
    var _ =
        run.within(
            side.name(),
            directory -> {
              try (TableServers servers = side.start(directory, deadAfter)) {
                step.run(servers);
                return side;
              }
            });
  }

  private void writes(Run run, List<Integer> counts) throws Exception {
    with(
        run,
        sides.replicated(),
        NEVER,
        replicated ->
            with(
                run,
                sides.tablets(),
                NEVER,
                tablets -> {
                  warmUp(run, replicated);
                  warmUp(run, tablets);
                  for (int count : counts) {
                    run.attempt("write-" + count, () -> writes(run, count, replicated, tablets));
                  }
                }));
  }

  private void warmUp(Run run, TableServers servers) throws Exception {
    servers.create(TABLE, Rows.SPLITS);
    for (int turn = 0; turn < (quick() ? 1 : 6); turn++) {
      var _ = loop(servers, Acks.MAJORITY, WARM_UP_WRITERS, run.phase());
    }
  }

  private Sample loop(TableServers servers, Acks acks, int writers, Duration length)
      throws Exception {
    List<ClosedLoop.Client> clients = new ArrayList<>();
    for (int writer = 0; writer < writers; writer++) {
      SplittableRandom chance = new SplittableRandom(writer);
      int through = writer % TableServers.SERVERS;
      clients.add(
          () ->
              servers.write(
                  TABLE,
                  acks,
                  through,
                  Rows.key(chance.nextLong(RECORDS)),
                  Rows.value(editions.incrementAndGet(), Rows.SMALL_VALUE)));
    }
    return new ClosedLoop(length, PATIENCE).run(clients);
  }

  /** All levels, the tablet table and the limit take turns. */
  private void writes(Run run, int writers, TableServers replicated, TableServers tablets)
      throws Exception {
    List<Entrant<Sample>> entrants = new ArrayList<>();
    for (Acks acks : Acks.values()) {
      String level = acks.name().toLowerCase(Locale.ROOT);
      entrants.add(entrant(run, level, replicated, acks, writers));
    }
    entrants.add(entrant(run, sides.tablets().name(), tablets, Acks.ALL, writers));
    int measured = entrants.size();
    if (sides.limit() instanceof Peer.Present(Limit limit)) {
      entrants.add(
          new Entrant<>(
              limit.name(),
              () -> limited(run, limit, writers, run.warmUp()),
              _ -> limited(run, limit, writers, run.phase())));
    }
    List<Shown<Sample>> shown =
        run.contest("write-" + writers, "writes/s", Sample::perSecond, entrants);
    Shown<Sample> tablet = shown.get(measured - 1);
    for (Shown<Sample> each : shown.subList(0, measured)) {
      List<Shown<Sample>> beside =
          Stream.concat(Stream.of(each), shown.stream().skip(measured)).toList();
      Notes notes = new Notes();
      if (!each.equals(tablet)) {
        notes.add(
            String.format(
                Locale.ROOT, "%.2f of the tablet table's rate", each.figure() / tablet.figure()));
      }
      run.tell(
          "write-%s-%d".formatted(each.name(), writers),
          "writes/s",
          Better.HIGHER,
          beside,
          sides.limit(),
          null,
          notes.latency(beside).cpu(List.of(each), "write"));
    }
  }

  private Entrant<Sample> entrant(
      Run run, String name, TableServers servers, Acks acks, int writers) {
    return new Entrant<>(
        name,
        servers,
        () -> loop(servers, acks, writers, run.warmUp()),
        _ -> loop(servers, acks, writers, run.phase()));
  }

  private static Sample limited(Run run, Limit limit, int writers, Duration length)
      throws Exception {
    return run.within(limit.name(), directory -> limit.write(directory, writers, length));
  }

  // ---- times

  /** What a trial took, and the limit for as many bytes. */
  private record Beside(Timing timing, Optional<Double> limit) {}

  private void trials(Run run, List<Trial> wanted) throws Exception {
    Map<String, List<Beside>> found = new LinkedHashMap<>();
    List<Entrant<Double>> entrants = new ArrayList<>();
    for (ReplicaSide side : List.of(sides.replicated(), sides.tablets())) {
      entrants.add(
          new Entrant<>(side.name(), () -> {}, round -> trials(run, side, wanted, round, found)));
    }
    var _ = run.contest("trials", "s in all", Double::doubleValue, entrants);
    found.forEach((name, all) -> tell(run, name, all));
  }

  /** One round of one kind of table; returns the seconds of all trials. */
  private double trials(
      Run run, ReplicaSide side, List<Trial> wanted, int round, Map<String, List<Beside>> found)
      throws InterruptedException {
    double[] seconds = {0};
    boolean converges = wanted.contains(Trial.CONVERGE) && side.equals(sides.replicated());
    List<Trial> copying = wanted.stream().filter(trial -> trial != Trial.CONVERGE).toList();
    Map<Duration, List<Trial>> byDeath = new LinkedHashMap<>();
    byDeath.put(NEVER, converges ? List.of(Trial.CONVERGE) : List.of());
    byDeath.put(DEAD_AFTER, copying);
    for (Map.Entry<Duration, List<Trial>> each : byDeath.entrySet()) {
      if (each.getValue().isEmpty()) {
        continue;
      }
      run.attempt(
          "%s table in round %d".formatted(side.name(), round + 1),
          () ->
              with(
                  run,
                  side,
                  each.getKey(),
                  servers -> {
                    TrialRun trials = new TrialRun(servers, extent());
                    for (Trial trial : each.getValue()) {
                      Timing timing = trials.run(trial);
                      String suffix = side.equals(sides.tablets()) ? "-tablet" : "";
                      found
                          .computeIfAbsent(trial.caseName() + suffix, _ -> new ArrayList<>())
                          .add(new Beside(timing, limited(run, timing.bytes())));
                      seconds[0] += timing.seconds();
                    }
                  }));
    }
    return seconds[0];
  }

  private Optional<Double> limited(Run run, long bytes) throws Exception {
    return sides.limit() instanceof Peer.Present(Limit limit)
        ? Optional.of(run.within(limit.name(), (Path directory) -> limit.load(directory, bytes)))
        : Optional.empty();
  }

  private void tell(Run run, String name, List<Beside> all) {
    run.tell(
        Result.beside(
            name,
            "s",
            Better.LOWER,
            median(all, each -> each.timing().seconds()),
            all.getFirst().limit().map(_ -> median(all, each -> each.limit().orElse(0.0))),
            sides.limit().title(),
            null,
            new Notes()
                .add(sides.limit().absence())
                .add(
                    String.format(
                        Locale.ROOT, "%,.0f MB", median(all, each -> each.timing().bytes()) / 1e6))
                .add(
                    all.stream()
                        .map(each -> each.timing().note())
                        .distinct()
                        .collect(Collectors.joining("; ")))
                .toString()));
  }

  private static double median(List<Beside> all, ToDoubleFunction<Beside> figure) {
    return Median.of(all.stream().mapToDouble(figure).toArray());
  }
}
