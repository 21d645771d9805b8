package io.stele.bench.cluster;

import io.stele.bench.SharedOptions;
import io.stele.bench.cluster.RecoveryBench.Failure;
import io.stele.bench.cluster.RecoveryBench.Outcome;
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
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stele bench recovery}: what the death of a server costs, beside HBase. */
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
public final class RecoveryCommand implements Callable<Integer> {
  private final ClusterSides sides;

  @Spec private CommandSpec spec;

  @Mixin private SharedOptions shared = new SharedOptions();

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

  @Override
  public Integer call() throws Exception {
    RecoveryExtent extent = extent();
    if (shared.list()) {
      printCases(extent);
      return ExitCode.OK;
    }
    List<Integer> sizes = shared.choose(extent.unflushedMebibytes(), RecoveryBench::caseName);
    shared.checkJson();
    try (Workspace workspace = shared.workspace()) {
      workspace.checkSpace(extent.neededDiskBytes());
      Progress progress = new Progress(spec.commandLine().getErr());
      ClusterSides.Rivals rivals = sides.rivals(offline, progress);
      Rival recommended =
          extent.recommendedRounds() > 0
              ? rivals.recommended()
              : new Rival.Absent(
                  rivals.recommended().title(), "one round of it takes longer than --quick may");
      RecoverySetup setup =
          new RecoverySetup(
              extent, sides.stele(), recommended, rivals.alike(), workspace, progress);
      printHead(setup);
      return measure(setup, sizes);
    }
  }

  private int measure(RecoverySetup setup, List<Integer> sizes) throws Exception {
    Outcome outcome = new RecoveryBench(setup, sizes).run();
    List<Result> results = new RecoveryResults(setup, sizes, outcome).results();
    PrintWriter out = spec.commandLine().getOut();
    out.print(new Report("HBASE", results).toTable());
    shared.writeJson("HBase", results);
    for (Failure failure : outcome.failures()) {
      out.printf("FAILED %s: %s%n", failure.name(), failure.problem());
    }
    out.flush();
    return outcome.failures().isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private void printCases(RecoveryExtent extent) {
    TextTable table = new TextTable("CASE", "MEASURES");
    for (int size : extent.unflushedMebibytes()) {
      table.row(
          RecoveryBench.caseName(size),
          "from kill -9 with %d MiB in the log alone to the first write and to all data"
              .formatted(size));
    }
    spec.commandLine().getOut().print(table);
    spec.commandLine().getOut().flush();
  }

  private void printHead(RecoverySetup setup) throws IOException {
    Map<String, String> facts = new LinkedHashMap<>(Machine.describe(setup.workspace().root()));
    RecoveryExtent extent = setup.extent();
    facts.put(
        "scale",
        "%s MiB not flushed; rounds: %d, of HBase as it comes %d; 4 tablets"
            .formatted(
                extent.unflushedMebibytes().stream()
                    .map(String::valueOf)
                    .collect(Collectors.joining(", ")),
                extent.rounds(),
                Math.min(extent.rounds(), extent.recommendedRounds())));
    facts.putAll(setup.stele().facts());
    for (Rival rival : List.of(setup.recommended(), setup.alike())) {
      facts.putAll(ClusterSides.facts(rival));
    }
    PrintWriter out = spec.commandLine().getOut();
    facts.forEach((name, fact) -> out.printf("%-11s %s%n", name, fact));
    out.println();
    out.flush();
  }

  private RecoveryExtent extent() {
    RecoveryExtent extent = shared.quick() ? RecoveryExtent.QUICK : RecoveryExtent.FULL;
    if (!unflushed.isEmpty()) {
      unflushed.forEach(
          size -> shared.within("--unflushed", size, 0, RecoveryExtent.MOST_MEBIBYTES));
      extent = extent.withUnflushed(unflushed.stream().distinct().sorted().toList());
    }
    return shared.rounds().isPresent() ? extent.withRounds(shared.rounds().getAsInt()) : extent;
  }
}
