package io.stele.bench.replica;

import io.stele.bench.SharedOptions;
import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import io.stele.bench.replica.ReplicaBench.Case;
import io.stele.bench.replica.ReplicaBench.Failure;
import io.stele.bench.report.Machine;
import io.stele.bench.report.Report;
import io.stele.bench.report.Result;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stele bench replica}: what replicas cost. */
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
public final class ReplicaCommand implements Callable<Integer> {
  private final ReplicaSides sides;

  @Spec private CommandSpec spec;

  @Mixin private SharedOptions shared = new SharedOptions();

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
    this(ReplicaSides.REAL);
  }

  ReplicaCommand(ReplicaSides sides) {
    this.sides = sides;
  }

  @Override
  public Integer call() throws Exception {
    if (shared.list()) {
      printCases();
      return ExitCode.OK;
    }
    List<Case> cases = shared.choose(ReplicaBench.cases(), Case::name);
    ReplicaExtent extent = extent();
    shared.checkJson();
    try (Workspace workspace = shared.workspace()) {
      workspace.checkSpace(extent.neededDiskBytes());
      Progress progress = new Progress(spec.commandLine().getErr());
      ReplicaSetup setup =
          new ReplicaSetup(
              extent, sides.replicated(), sides.tablets(), sides.limit(), workspace, progress);
      printHead(setup);
      return measure(setup, cases);
    }
  }

  private int measure(ReplicaSetup setup, List<Case> cases) throws Exception {
    List<Result> results = new ArrayList<>();
    PrintWriter out = spec.commandLine().getOut();
    List<Failure> failures;
    try {
      failures = new ReplicaBench(setup, results::add).run(cases);
    } finally {
      // Also when the run was cut short: what was measured before took long enough.
      out.print(new Report(setup.limit().name().toUpperCase(Locale.ROOT), results).toTable());
      out.flush();
    }
    shared.writeJson(setup.limit().name(), results);
    for (Failure failure : failures) {
      out.printf("FAILED %s: %s%n", failure.name(), failure.problem());
    }
    out.flush();
    return failures.isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private void printCases() {
    TextTable table = new TextTable("CASE", "MEASURES");
    ReplicaBench.cases().forEach(each -> table.row(each.name(), each.about()));
    spec.commandLine().getOut().print(table);
    spec.commandLine().getOut().flush();
  }

  private void printHead(ReplicaSetup setup) throws IOException {
    Map<String, String> facts = new LinkedHashMap<>(Machine.describe(setup.workspace().root()));
    ReplicaExtent extent = setup.extent();
    facts.put(
        "scale",
        String.format(
            Locale.ROOT,
            "rounds: %d; timed phases of %.2f s; values of %d bytes; tables of %d MB, with values"
                + " of %d; cuts of %d s; a lost server is replaced %d s after its session of 5 s",
            extent.rounds(),
            extent.phase().toNanos() / 1e9,
            Rows.SMALL_VALUE,
            extent.megabytes(),
            Rows.LARGE_VALUE,
            extent.cut().toSeconds(),
            ReplicaBench.DEAD_AFTER.toSeconds()));
    setup.sides().forEach(side -> facts.putAll(side.facts()));
    switch (setup.limit()) {
      case Limit.Present limit ->
          facts.put(
              limit.name(), limit.version() + " in this process, its defaults, writes synced");
      case Limit.Absent(String name, String reason) -> facts.put(name, "ABSENT: " + reason);
    }
    PrintWriter out = spec.commandLine().getOut();
    facts.forEach((name, fact) -> out.printf("%-11s %s%n", name, fact));
    out.println();
    out.flush();
  }

  private ReplicaExtent extent() {
    ReplicaExtent extent = shared.quick() ? ReplicaExtent.QUICK : ReplicaExtent.FULL;
    if (megabytes != null) {
      shared.within("--megabytes", megabytes, 1, ReplicaExtent.MOST_MEGABYTES);
      extent = extent.withMegabytes(megabytes);
    }
    if (cut != null) {
      shared.within("--cut", cut, 0, ReplicaExtent.LONGEST_CUT);
      extent = extent.withCut(Duration.ofSeconds(cut));
    }
    if (shared.rounds().isPresent()) {
      extent = extent.withRounds(shared.rounds().getAsInt());
    }
    return shared.phase().map(extent::withPhase).orElse(extent);
  }
}
