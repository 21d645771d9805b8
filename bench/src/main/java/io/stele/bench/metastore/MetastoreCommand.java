package io.stele.bench.metastore;

import io.stele.base.text.NearestName;
import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import io.stele.bench.metastore.MetastoreBench.Failure;
import io.stele.bench.report.Machine;
import io.stele.bench.report.Report;
import io.stele.bench.report.Result;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stele bench metastore}: the metastore beside etcd. */
@Command(
    name = "metastore",
    description = {
      "Measure the metastore beside etcd.",
      "The members of both sides run as processes of their own on this machine, with the same"
          + " durability, and are asked the same in turns, over as many connections. Results that"
          + " end in -m1 or -m3 are of groups of so many members. A ratio above 1 means that Stele"
          + " is better."
    })
public final class MetastoreCommand implements Callable<Integer> {

  private final Supplier<Side> stele;
  private final Supplier<Peer> peers;

  @Spec private CommandSpec spec;

  @Option(
      names = "--quick",
      description = "Fewer keys and one short round: less than two minutes, rough figures.")
  private boolean quick;

  @Option(names = "--list", description = "List the cases and end.")
  private boolean list;

  @Option(
      names = "--cases",
      paramLabel = "NAME",
      split = ",",
      description = "Run only these cases.")
  private List<String> caseNames = new ArrayList<>();

  @Option(
      names = "--members",
      paramLabel = "N",
      split = ",",
      description = "Sizes of the groups that are measured (1,3).")
  private List<Integer> members = new ArrayList<>();

  @Option(
      names = "--keys",
      paramLabel = "N",
      description = "Keys of the large store (20,000,000; quick: 200,000).")
  private @Nullable Long keys;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description = "Rounds of each case, of which the median counts (3; quick: 1).")
  private @Nullable Integer rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Length of a timed phase (4; quick: 0.5).")
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

  public MetastoreCommand() {
    this(SteleSide::new, EtcdSide::find);
  }

  MetastoreCommand(Supplier<Side> stele, Supplier<Peer> peers) {
    this.stele = stele;
    this.peers = peers;
  }

  @Override
  public Integer call() throws Exception {
    if (list) {
      printCases();
      return ExitCode.OK;
    }
    List<MetastoreCase> cases = cases();
    Scale scale = scale();
    checkJson();
    try (Workspace workspace = workspace()) {
      workspace.checkSpace(scale.neededDiskBytes());
      Progress progress = new Progress(spec.commandLine().getErr());
      Setup setup = new Setup(scale, stele.get(), peers.get(), workspace, progress);
      printHead(setup);
      return measure(setup, cases);
    }
  }

  private int measure(Setup setup, List<MetastoreCase> cases) throws Exception {
    List<Result> results = new ArrayList<>();
    PrintWriter out = spec.commandLine().getOut();
    List<Failure> failures;
    try {
      failures = new MetastoreBench(setup, results::add).run(cases);
    } finally {
      // Also when the run was cut short: what was measured before took long enough.
      out.print(new Report(setup.peer().name().toUpperCase(Locale.ROOT), results).toTable());
      out.flush();
    }
    if (json != null) {
      Files.writeString(json, new Report(setup.peer().name(), results).toJson() + "\n");
    }
    for (Failure failure : failures) {
      out.printf("FAILED %s: %s%n", failure.name(), failure.problem());
    }
    out.flush();
    return failures.isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private void printCases() {
    TextTable table = new TextTable("CASE", "MEASURES");
    MetastoreBench.cases().forEach(each -> table.row(each.name(), each.about()));
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
        "groups of %s; %,d keys, values of %d bytes; large store of %,d keys; rounds: %d; timed"
            + " phases of %.2f s; connections: 1 for 1 client, else %d",
        scale.members().stream().map(String::valueOf).collect(Collectors.joining(" and ")),
        Scale.KEYS,
        Scale.VALUE_BYTES,
        scale.storeKeys(),
        scale.rounds(),
        scale.phase().toNanos() / 1e9,
        Scale.CONNECTIONS);
  }

  private List<MetastoreCase> cases() {
    if (caseNames.isEmpty()) {
      return MetastoreBench.cases();
    }
    return caseNames.stream()
        .map(name -> MetastoreBench.find(name).orElseThrow(() -> unknownCase(name)))
        .toList();
  }

  private ParameterException unknownCase(String name) {
    List<String> known = MetastoreBench.cases().stream().map(MetastoreCase::name).toList();
    String nearest = NearestName.of(name, known).map("; did you mean '%s'?"::formatted).orElse("");
    return mistake(
        "unknown case '%s'%s The cases are %s."
            .formatted(name, nearest.isEmpty() ? "." : nearest, String.join(", ", known)));
  }

  private Scale scale() {
    Scale scale = quick ? Scale.QUICK : Scale.FULL;
    if (!members.isEmpty()) {
      members.forEach(count -> within("--members", count, 1, Scale.MOST_MEMBERS));
      scale = scale.withMembers(members.stream().distinct().toList());
    }
    if (keys != null) {
      within("--keys", keys, Scale.LOAD_BATCH, KeySet.MOST);
      scale = scale.withStoreKeys(keys);
    }
    if (rounds != null) {
      within("--repeat", rounds, 1, 1_000);
      scale = scale.withRounds(rounds);
    }
    if (seconds != null) {
      if (!(seconds >= 0.01 && seconds <= 600)) {
        throw mistake("--seconds is " + seconds + "; it must be 0.01 to 600");
      }
      scale = scale.withPhase(Duration.ofNanos((long) (seconds * 1e9)));
    }
    return scale;
  }

  private void within(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw mistake("%s is %d; it must be %d to %d".formatted(option, value, least, most));
    }
  }

  /** Before the run, not after it. */
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

  private ParameterException mistake(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
