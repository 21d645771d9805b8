package io.stele.bench.dataset;

import io.stele.bench.SharedOptions;
import io.stele.bench.dataset.DatasetBench.Case;
import io.stele.bench.dataset.DatasetBench.Failure;
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

/** {@code stele bench dataset}: lookups and loads. */
@Command(
    name = "dataset",
    description = {
      "Measure datasets, beside what limits them.",
      "Lookups in this process, beside the library that shards are stored by; lookups over HTTP,"
          + " by wrk, of nodes that are processes of their own, beside the same HTTP server with a"
          + " constant answer; loads of a version, beside a copy of its files. A ratio above 1"
          + " means that Stele is better."
    })
public final class DatasetCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private SharedOptions shared = new SharedOptions();

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Of a version, a hundred bytes each (10000000; quick: 300000).")
  private @Nullable Integer records;

  @Override
  public Integer call() throws Exception {
    if (shared.list()) {
      printCases();
      return ExitCode.OK;
    }
    List<Case> cases = shared.choose(DatasetBench.cases(), Case::name);
    DatasetExtent extent = extent();
    shared.checkJson();
    try (Workspace workspace = shared.workspace()) {
      workspace.checkSpace(extent.neededDiskBytes());
      Progress progress = new Progress(spec.commandLine().getErr());
      DatasetSetup setup = new DatasetSetup(extent, workspace, progress, Wrk.find());
      printHead(setup);
      return measure(setup, cases);
    }
  }

  private int measure(DatasetSetup setup, List<Case> cases) throws Exception {
    List<Result> results = new ArrayList<>();
    PrintWriter out = spec.commandLine().getOut();
    List<Failure> failures;
    try {
      failures = new DatasetBench(setup, results::add).run(cases);
    } finally {
      // Also when the run was cut short: what was measured before took long enough.
      out.print(new Report("BESIDE", results).toTable());
      out.flush();
    }
    shared.writeJson("BESIDE", results);
    for (Failure failure : failures) {
      out.printf("FAILED %s: %s%n", failure.name(), failure.problem());
    }
    out.flush();
    return failures.isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private void printCases() {
    TextTable table = new TextTable("CASE", "MEASURES");
    DatasetBench.cases().forEach(each -> table.row(each.name(), each.about()));
    spec.commandLine().getOut().print(table);
    spec.commandLine().getOut().flush();
  }

  private void printHead(DatasetSetup setup) throws IOException {
    Map<String, String> facts = new LinkedHashMap<>(Machine.describe(setup.workspace().root()));
    DatasetExtent extent = setup.extent();
    facts.put(
        "scale",
        String.format(
            Locale.ROOT,
            "rounds: %d; timed phases of %.2f s; %,d records of %d bytes in %d shards",
            extent.rounds(),
            extent.phase().toNanos() / 1e9,
            extent.records(),
            BenchRecords.BYTES,
            BenchRecords.SHARDS));
    facts.put("servers", String.join(" ", Servers.flags()) + ", the constant one likewise");
    facts.put(
        "wrk",
        setup
            .wrk()
            .map(wrk -> wrk.program() + ", one thread")
            .orElse("ABSENT: not on the path (Debian: apt install wrk)"));
    PrintWriter out = spec.commandLine().getOut();
    facts.forEach((name, fact) -> out.printf("%-11s %s%n", name, fact));
    out.println();
    out.flush();
  }

  private DatasetExtent extent() {
    DatasetExtent extent = shared.quick() ? DatasetExtent.QUICK : DatasetExtent.FULL;
    if (records != null) {
      shared.within("--records", records, 1, DatasetExtent.MOST_RECORDS);
      extent = extent.withRecords(records);
    }
    if (shared.rounds().isPresent()) {
      extent = extent.withRounds(shared.rounds().getAsInt());
    }
    return shared.phase().map(extent::withPhase).orElse(extent);
  }
}
