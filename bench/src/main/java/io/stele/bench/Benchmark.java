package io.stele.bench;

import io.stele.base.text.NearestName;
import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import io.stele.bench.report.Machine;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A command that measures Stele beside a peer: the options that all of them have, and how a run
 * goes from these to a report. A subclass says which cases there are and measures them.
 *
 * @param <W> what a case of the benchmark does
 */
public abstract class Benchmark<W> implements Callable<Integer> {
  private static final double SHORTEST_SECONDS = 0.001;
  private static final double LONGEST_SECONDS = 600;
  private static final int ROUNDS = 3;
  private static final int MOST_ROUNDS = 1_000;
  private static final Duration PHASE = Duration.ofSeconds(4);
  private static final Duration QUICK_PHASE = Duration.ofMillis(500);

  @Spec private CommandSpec spec;

  @Option(
      names = "--quick",
      description = "Less data and one short round: less than two minutes, rough figures.")
  private boolean quick;

  @Option(names = "--list", description = "List the cases and end.")
  private boolean list;

  @Option(
      names = {"--cases", "--case"},
      paramLabel = "NAME",
      split = ",",
      description = "Run only these cases.")
  private List<String> caseNames = new ArrayList<>();

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description = "Rounds of each case, of which the median counts (3; quick: 1).")
  private @Nullable Integer rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Length of a timed phase (4; quick: about half a second).")
  private @Nullable Double seconds;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to keep the data meanwhile: an empty or new directory (a new one in ./target or,"
              + " where that is missing, in the system's directory for temporary files).")
  private @Nullable Path directory;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the results to this file as JSON.")
  private @Nullable Path json;

  /** All cases, in the order in which they run. */
  protected abstract List<Case<W>> cases();

  /** What a run takes of the disk at most. */
  protected abstract long neededDiskBytes();

  /** The title of the column with the figures of those that Stele is measured beside. */
  protected abstract String peerColumn();

  /** Measures some of the cases. Reports each result as soon as it is known. */
  protected abstract void measure(Run run, List<Case<W>> wanted) throws Exception;

  @Override
  public final Integer call() throws Exception {
    List<Case<W>> all = cases();
    if (list) {
      TextTable table = new TextTable("CASE", "MEASURES");
      all.forEach(each -> table.row(each.name(), each.about()));
      print(table.toString());
      return ExitCode.OK;
    }
    List<Case<W>> wanted = chosen(all);
    int chosenRounds = (int) scaled("--repeat", rounds, ROUNDS, 1, 1, MOST_ROUNDS);
    Duration phase = phase();
    long needed = neededDiskBytes();
    checkJson();
    try (Workspace workspace = workspace()) {
      workspace.checkSpace(needed);
      Progress progress = new Progress(spec.commandLine().getErr());
      Map<String, String> machine = Machine.describe(workspace.root());
      Run run = new Run(chosenRounds, phase, workspace, progress);
      try {
        measure(run, wanted);
      } finally {
        // Also when the run was cut short: what was measured before took long enough.
        print(run.report(peerColumn(), machine).toText());
      }
      if (json != null) {
        Files.writeString(json, run.report(peerColumn(), machine).toJson() + "\n");
      }
      return run.failures().isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
    }
  }

  private void print(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(text);
    out.flush();
  }

  // ---- options

  protected final boolean quick() {
    return quick;
  }

  /** The value of an option; one of two defaults if it was not given. */
  protected final long scaled(
      String option, @Nullable Number given, long full, long inQuick, long least, long most) {
    if (given == null) {
      return quick ? inQuick : full;
    }
    checkWithin(option, given.longValue(), least, most);
    return given.longValue();
  }

  /** Likewise of an option that takes several. */
  protected final List<Integer> scaled(
      String option,
      List<Integer> given,
      List<Integer> full,
      List<Integer> inQuick,
      long least,
      long most) {
    given.forEach(value -> checkWithin(option, value, least, most));
    return given.isEmpty() ? quick ? inQuick : full : given.stream().distinct().toList();
  }

  private void checkWithin(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw mistake("%s is %d; it must be %d to %d".formatted(option, value, least, most));
    }
  }

  protected final ParameterException mistake(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** How long a timed phase takes. */
  protected final Duration phase() {
    if (seconds == null) {
      return quick ? QUICK_PHASE : PHASE;
    }
    if (!(seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS)) {
      throw mistake("--seconds is " + seconds + "; it must be 0.001 to 600");
    }
    return Duration.ofNanos((long) (seconds * 1e9));
  }

  /** The cases that were asked for by name or group, all if none was; in their own order. */
  private List<Case<W>> chosen(List<Case<W>> all) {
    List<Case<W>> chosen = new ArrayList<>();
    for (String wanted : caseNames) {
      List<Case<W>> found =
          all.stream()
              .filter(each -> each.name().equals(wanted) || each.group().equals(wanted))
              .toList();
      if (found.isEmpty()) {
        throw unknownCase(wanted, all);
      }
      chosen.addAll(found);
    }
    return caseNames.isEmpty() ? all : all.stream().filter(chosen::contains).toList();
  }

  private ParameterException unknownCase(String name, List<Case<W>> all) {
    List<String> similar =
        all.stream().flatMap(each -> Stream.of(each.name(), each.group())).toList();
    return mistake(
        "unknown case '%s'%s The cases are %s."
            .formatted(
                name,
                NearestName.of(name, similar).map("; did you mean '%s'?"::formatted).orElse("."),
                String.join(", ", all.stream().map(Case::name).toList())));
  }

  /** Refuses a file for the results that cannot be written: before the run, not after it. */
  private void checkJson() {
    if (json == null) {
      return;
    }
    Path parent = json.toAbsolutePath().getParent();
    if (parent == null || Files.isDirectory(json) || !Files.isDirectory(parent)) {
      throw mistake("--json is " + json + "; it must be a file in a directory that exists");
    }
  }

  private Workspace workspace() throws IOException {
    if (directory != null) {
      return Workspace.in(directory);
    }
    Path built = Path.of("target");
    return Workspace.inside(
        Files.isDirectory(built) && Files.isWritable(built)
            ? built
            : Path.of(System.getProperty("java.io.tmpdir")));
  }
}
