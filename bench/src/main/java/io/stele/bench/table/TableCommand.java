package io.stele.bench.table;

import io.stele.bench.SharedOptions;
import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import io.stele.bench.report.Machine;
import io.stele.bench.report.Report;
import io.stele.bench.report.Result;
import io.stele.bench.table.TableBench.Failure;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stele bench table}: tablet tables beside HBase. */
@Command(
    name = "table",
    description = {
      "Measure tablet tables beside HBase, by YCSB's load and workloads A to F.",
      "A server of each side runs as a process of its own on this machine, with a synced log, and"
          + " is asked by its own Java client in another process, in turns. Cases end in the number"
          + " of threads that ask; 'a' stands for all cases 'a-…'. A ratio above 1 means that Stele"
          + " is better."
    })
public class TableCommand implements Callable<Integer> {

  /** How the sides are found. */
  interface Sides {
    Side stele(List<String> moreFlags);

    Peer peer(boolean offline, Progress progress);

    default List<TableCase> cases(List<Integer> threads) {
      return TableBench.cases(threads);
    }
  }

  private final Sides sides;

  @Spec private CommandSpec spec;

  @Mixin private SharedOptions shared = new SharedOptions();

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Records of 1 KB in the table (1,000,000; quick: 20,000).")
  private @Nullable Long records;

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      description = "Threads that ask, one case each (1,16,64; quick: 16).")
  private List<Integer> threads = new ArrayList<>();

  @Option(
      names = "--unflushed",
      paramLabel = "MIB",
      description = "Written since the last flush when a server is killed (256; quick: 16).")
  private @Nullable Integer unflushedMebibytes;

  @Option(
      names = "--offline",
      description = "Fetch nothing: the peer is absent if its jars are not on this machine.")
  private boolean offline;

  @Option(
      names = "--server-flag",
      paramLabel = "FLAG",
      description = "One more flag for the JVM of Stele's server; may be given more than once.")
  private List<String> serverFlags = new ArrayList<>();

  public TableCommand() {
    this(
        new Sides() {
          @Override
          public Side stele(List<String> moreFlags) {
            return new SteleSide(moreFlags);
          }

          @Override
          public Peer peer(boolean offline, Progress progress) {
            return HBaseSide.find(offline, progress);
          }
        });
  }

  TableCommand(Sides sides) {
    this.sides = sides;
  }

  @Override
  public Integer call() throws Exception {
    Scale scale = scale();
    if (shared.list()) {
      printCases(scale);
      return ExitCode.OK;
    }
    List<TableCase> cases =
        shared.choose(sides.cases(scale.threads()), TableCase::name, TableCase::group);
    shared.checkJson();
    try (Workspace workspace = shared.workspace()) {
      workspace.checkSpace(scale.neededDiskBytes());
      Progress progress = new Progress(spec.commandLine().getErr());
      Setup setup =
          new Setup(
              scale, sides.stele(serverFlags), sides.peer(offline, progress), workspace, progress);
      printHead(setup);
      return measure(setup, cases);
    }
  }

  private int measure(Setup setup, List<TableCase> cases) throws Exception {
    List<Result> results = new ArrayList<>();
    PrintWriter out = spec.commandLine().getOut();
    List<Failure> failures;
    try {
      failures = new TableBench(setup, results::add).run(cases);
    } finally {
      // Also when the run was cut short: what was measured before took long enough.
      out.print(new Report(setup.peer().name().toUpperCase(Locale.ROOT), results).toTable());
      out.flush();
    }
    shared.writeJson(setup.peer().name(), results);
    for (Failure failure : failures) {
      out.printf("FAILED %s: %s%n", failure.name(), failure.problem());
    }
    out.flush();
    return failures.isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private void printCases(Scale scale) {
    TextTable table = new TextTable("CASE", "MEASURES");
    sides.cases(scale.threads()).forEach(each -> table.row(each.name(), each.about()));
    spec.commandLine().getOut().print(table);
    spec.commandLine().getOut().flush();
  }

  private void printHead(Setup setup) throws IOException {
    Map<String, String> facts = new LinkedHashMap<>(Machine.describe(setup.workspace().root()));
    facts.put("scale", scale(setup.scale()));
    facts.putAll(setup.stele().facts());
    switch (setup.peer()) {
      case Peer.Present(Side side) -> facts.putAll(side.facts());
      case Peer.Absent(String name, String reason) -> facts.put(name, "ABSENT: " + reason);
    }
    PrintWriter out = spec.commandLine().getOut();
    facts.forEach((name, fact) -> out.printf("%-11s %s%n", name, fact));
    out.println();
    out.flush();
  }

  private static String scale(Scale scale) {
    return String.format(
        Locale.ROOT,
        "%,d records of 10 fields of 100 bytes; %s threads; rounds: %d; timed phases of %.2f s;"
            + " killed with %,d bytes not flushed",
        scale.records(),
        scale.threads().stream().map(String::valueOf).collect(Collectors.joining(", ")),
        scale.rounds(),
        scale.phase().toNanos() / 1e9,
        scale.unflushedBytes());
  }

  private Scale scale() {
    Scale scale = shared.quick() ? Scale.QUICK : Scale.FULL;
    if (records != null) {
      shared.within("--records", records, Scale.FEWEST_RECORDS, Scale.MOST_RECORDS);
      scale = scale.withRecords(records);
    }
    if (!threads.isEmpty()) {
      threads.forEach(count -> shared.within("--threads", count, 1, Scale.MOST_THREADS));
      scale = scale.withThreads(threads.stream().distinct().toList());
    }
    if (unflushedMebibytes != null) {
      shared.within("--unflushed", unflushedMebibytes, 1, 1 << 20);
      scale = scale.withUnflushedBytes((long) unflushedMebibytes << 20);
    }
    if (shared.rounds().isPresent()) {
      scale = scale.withRounds(shared.rounds().getAsInt());
    }
    return shared.phase().map(scale::withPhase).orElse(scale);
  }
}
