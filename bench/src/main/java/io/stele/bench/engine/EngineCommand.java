package io.stele.bench.engine;

import io.stele.bench.SharedOptions;
import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import io.stele.bench.report.Report;
import io.stele.bench.report.Result;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import io.stele.engine.disk.Codec;
import java.io.IOException;
import java.io.PrintWriter;
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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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

  @Mixin private SharedOptions shared = new SharedOptions();

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
      names = "--codec",
      paramLabel = "CODEC",
      converter = CodecConverter.class,
      description = "Compression on both sides: none, lz4, zstd or snappy (none).")
  private Codec codec = Codec.NONE;

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
    if (shared.list()) {
      printCases();
      return ExitCode.OK;
    }
    List<EngineCase> cases = shared.choose(EngineBench.cases(), EngineCase::name);
    Scale scale = scale();
    shared.checkJson();
    scale.checkHeap(Runtime.getRuntime().maxMemory());
    try (Workspace workspace = shared.workspace()) {
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
    shared.writeJson(setup.peer().name(), results);
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

  private Scale scale() {
    Scale scale = shared.quick() ? Scale.QUICK : Scale.FULL;
    if (records != null) {
      if (records < 1) {
        throw shared.mistake("--records is %d; it must be 1 or more".formatted(records));
      }
      scale = scale.withRecords(records);
    }
    if (!valueSizes.isEmpty()) {
      valueSizes.forEach(
          size ->
              shared.within("--value-size", size, Records.SMALLEST_VALUE, Records.LARGEST_VALUE));
      scale = scale.withValueSizes(valueSizes.stream().distinct().toList());
    }
    if (shared.rounds().isPresent()) {
      scale = scale.withRounds(shared.rounds().getAsInt());
    }
    return shared.phase().map(scale::withPhase).orElse(scale);
  }
}
