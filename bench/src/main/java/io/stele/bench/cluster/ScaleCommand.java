package io.stele.bench.cluster;

import io.stele.bench.SharedOptions;
import io.stele.bench.cluster.ScaleBench.Failure;
import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import io.stele.bench.report.Machine;
import io.stele.bench.report.Report;
import io.stele.bench.report.Result;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
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

/** {@code stele bench scale}: moves, many tablets and a master's death, beside HBase. */
@Command(
    name = "scale",
    description = {
      "Measure what clusters do with their tablets, beside HBase at the same session time-out.",
      "Servers, masters and what keeps the sessions run as processes of their own on this machine,"
          + " on one directory that they share. A ratio above 1 means that Stele is better."
    })
public final class ScaleCommand implements Callable<Integer> {
  private static final long NEEDED_DISK_BYTES = 4L << 30;

  private final ClusterSides sides;

  @Spec private CommandSpec spec;

  @Mixin private SharedOptions shared = new SharedOptions();

  @Option(
      names = "--tablets",
      paramLabel = "N",
      description = "Of the table that is spread and looked up (1,000; quick: 100).")
  private @Nullable Integer tablets;

  @Option(
      names = "--moves",
      paramLabel = "N",
      description = "Of a tablet that is written to (30; quick: 10).")
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

  @Override
  public Integer call() throws Exception {
    ScaleExtent extent = extent();
    if (shared.list()) {
      TextTable table = new TextTable("CASE", "MEASURES");
      ScaleBench.cases().forEach(each -> table.row(each.name(), each.about()));
      spec.commandLine().getOut().print(table);
      spec.commandLine().getOut().flush();
      return ExitCode.OK;
    }
    List<ScaleCase> cases = shared.choose(ScaleBench.cases(), ScaleCase::name);
    shared.checkJson();
    try (Workspace workspace = shared.workspace()) {
      workspace.checkSpace(NEEDED_DISK_BYTES);
      Progress progress = new Progress(spec.commandLine().getErr());
      ScaleSetup setup =
          new ScaleSetup(
              extent, sides.stele(), sides.rivals(offline, progress).alike(), workspace, progress);
      printHead(setup);
      return measure(setup, cases);
    }
  }

  private int measure(ScaleSetup setup, List<ScaleCase> cases) throws Exception {
    List<Result> results = new ArrayList<>();
    PrintWriter out = spec.commandLine().getOut();
    List<Failure> failures;
    try {
      failures = new ScaleBench(setup, results::add).run(cases);
    } finally {
      // Also when the run was cut short: what was measured before took long enough.
      out.print(new Report("HBASE", results).toTable());
      out.flush();
    }
    shared.writeJson("HBase", results);
    for (Failure failure : failures) {
      out.printf("FAILED %s: %s%n", failure.name(), failure.problem());
    }
    out.flush();
    return failures.isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private void printHead(ScaleSetup setup) throws IOException {
    Map<String, String> facts = new LinkedHashMap<>(Machine.describe(setup.workspace().root()));
    ScaleExtent extent = setup.extent();
    facts.put(
        "scale",
        String.format(
            Locale.ROOT,
            "%,d tablets; %,d moves; rounds: %d; timed phases of %.2f s",
            extent.tablets(),
            extent.moves(),
            extent.rounds(),
            extent.phase().toNanos() / 1e9));
    facts.putAll(setup.stele().facts());
    facts.putAll(ClusterSides.facts(setup.rival()));
    PrintWriter out = spec.commandLine().getOut();
    facts.forEach((name, fact) -> out.printf("%-11s %s%n", name, fact));
    out.println();
    out.flush();
  }

  private ScaleExtent extent() {
    ScaleExtent extent = shared.quick() ? ScaleExtent.QUICK : ScaleExtent.FULL;
    if (tablets != null) {
      shared.within("--tablets", tablets, ScaleExtent.FEWEST_TABLETS, ScaleExtent.MOST_TABLETS);
      extent = extent.withTablets(tablets);
    }
    if (moves != null) {
      shared.within("--moves", moves, 1, ScaleExtent.MOST_MOVES);
      extent = extent.withMoves(moves);
    }
    if (shared.rounds().isPresent()) {
      extent = extent.withRounds(shared.rounds().getAsInt());
    }
    return shared.phase().map(extent::withPhase).orElse(extent);
  }
}
