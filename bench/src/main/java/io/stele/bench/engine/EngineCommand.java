package io.stele.bench.engine;

import io.stele.base.text.NearestName;
import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import io.stele.bench.report.Report;
import io.stele.bench.report.Result;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import io.stele.engine.disk.Codec;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code stele bench engine}: the storage engine beside RocksDB. */
@Command(
    name = "engine",
    description = {
      "Measure the storage engine beside RocksDB.",
      "Both sides run in turns in this process, over the same records, with the same durability,"
          + " cache and codec. A ratio above 1 means that Stele is better."
    })
public final class EngineCommand implements Callable<Integer> {

  private final Supplier<Peer> peers;

  @Spec private CommandSpec spec;

  @Option(
      names = "--quick",
      description = "Fewer records and one short round: less than two minutes, rough figures.")
  private boolean quick;

  @Option(names = "--list", description = "List the cases and end.")
  private boolean list;

  @Option(
      names = "--case",
      paramLabel = "NAME",
      description = "Run only this case; may be given more than once.")
  private List<String> caseNames = new ArrayList<>();

  @Option(
      names = "--records",
      paramLabel = "N",
      description =
          "Records of each value size (2,000,000; quick: 200,000). Opening is timed with at most as"
              + " many, growth starts with at most a fifth.")
  private @Nullable Long records;

  @Option(
      names = "--value-size",
      paramLabel = "BYTES",
      split = ",",
      description = "Value sizes (100,1024).")
  private List<Integer> valueSizes = new ArrayList<>();

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description = "Rounds of each case, of which the median counts (3; quick: 1).")
  private @Nullable Integer rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Length of a timed phase (4; quick: 0.6).")
  private @Nullable Double seconds;

  @Option(
      names = "--codec",
      paramLabel = "CODEC",
      converter = CodecConverter.class,
      description = "Compression on both sides: none, lz4, zstd or snappy (none).")
  private Codec codec = Codec.NONE;

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

  public EngineCommand() {
    this(RocksSide::find);
  }

  EngineCommand(Supplier<Peer> peers) {
    this.peers = peers;
  }

  static final class CodecConverter implements ITypeConverter<Codec> {
    @Override
    public Codec convert(String text) {
      for (Codec codec : Codec.values()) {
        if (name(codec).equals(text)) {
          return codec;
        }
      }
      throw new TypeConversionException(
          "'%s' is not one of %s"
              .formatted(
                  text,
                  Arrays.stream(Codec.values())
                      .map(CodecConverter::name)
                      .collect(Collectors.joining(", "))));
    }

    private static String name(Codec codec) {
      return codec.name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public Integer call() throws Exception {
    if (list) {
      printCases();
      return ExitCode.OK;
    }
    List<EngineCase> cases = cases();
    Scale scale = scale();
    checkJson();
    scale.checkHeap(Runtime.getRuntime().maxMemory());
    try (Workspace workspace = workspace()) {
      workspace.checkSpace(scale.neededDiskBytes());
      Progress progress = new Progress(spec.commandLine().getErr());
      Setup setup = new Setup(scale, codec, new SteleSide(), peers.get(), workspace, progress);
      printHead(setup);
      measure(setup, cases);
    }
    return ExitCode.OK;
  }

  private void measure(Setup setup, List<EngineCase> cases) throws Exception {
    List<Result> results = new ArrayList<>();
    PrintWriter out = spec.commandLine().getOut();
    try {
      EngineBench.run(setup, cases, results::add);
    } finally {
      // Also when a case failed: what was measured before it took long enough.
      out.print(new Report(setup.peer().name().toUpperCase(Locale.ROOT), results).toTable());
      out.flush();
    }
    if (json != null) {
      Files.writeString(json, new Report(setup.peer().name(), results).toJson() + "\n");
    }
  }

  private void printCases() {
    TextTable table = new TextTable("CASE", "MEASURES");
    EngineBench.cases().forEach(each -> table.row(each.name(), each.about()));
    spec.commandLine().getOut().print(table);
    spec.commandLine().getOut().flush();
  }

  private void printHead(Setup setup) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    RunFacts.of(setup).forEach((name, fact) -> out.printf("%-11s %s%n", name, fact));
    out.println();
    out.flush();
  }

  private List<EngineCase> cases() {
    if (caseNames.isEmpty()) {
      return EngineBench.cases();
    }
    return caseNames.stream()
        .map(name -> EngineBench.find(name).orElseThrow(() -> unknownCase(name)))
        .toList();
  }

  private ParameterException unknownCase(String name) {
    List<String> known = EngineBench.cases().stream().map(EngineCase::name).toList();
    String nearest = NearestName.of(name, known).map("; did you mean '%s'?"::formatted).orElse("");
    return mistake(
        "unknown case '%s'%s The cases are %s."
            .formatted(name, nearest.isEmpty() ? "." : nearest, String.join(", ", known)));
  }

  private Scale scale() {
    Scale scale = quick ? Scale.QUICK : Scale.FULL;
    if (records != null) {
      atLeast("--records", records, 1);
      scale = scale.withRecords(records);
    }
    if (!valueSizes.isEmpty()) {
      valueSizes.forEach(this::checkValueSize);
      scale = scale.withValueSizes(valueSizes.stream().distinct().toList());
    }
    if (rounds != null) {
      atLeast("--repeat", rounds, 1);
      scale = scale.withRounds(rounds);
    }
    if (seconds != null) {
      if (!(seconds >= 0.001 && seconds <= 600)) {
        throw mistake("--seconds is " + seconds + "; it must be 0.001 to 600");
      }
      scale = scale.withPhase(Duration.ofNanos((long) (seconds * 1e9)));
    }
    return scale;
  }

  private void atLeast(String option, long value, long least) {
    if (value < least) {
      throw mistake("%s is %d; it must be %d or more".formatted(option, value, least));
    }
  }

  private void checkValueSize(int size) {
    if (size < Records.SMALLEST_VALUE || size > Records.LARGEST_VALUE) {
      throw mistake(
          "--value-size is %d; it must be %d to %d"
              .formatted(size, Records.SMALLEST_VALUE, Records.LARGEST_VALUE));
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
