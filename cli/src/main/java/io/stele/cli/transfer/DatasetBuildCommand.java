package io.stele.cli.transfer;

import io.stele.base.dataset.VersionOutput;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.cli.CommandEnvironment;
import io.stele.cli.Count;
import io.stele.cli.ExitCode;
import io.stele.cli.Json;
import io.stele.cli.OutputFormat;
import io.stele.cli.OutputOption;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stele dataset build}: works on files, and needs no server. */
@Command(
    name = "build",
    description = {
      "Write a version of a dataset from CSV, TSV or JSON lines, or from what `stele export`"
          + " wrote.",
      "",
      "The first line of a CSV or TSV file names its fields; of JSON lines, each is an object. One"
          + " field is the key. If there is one other, or --value names one, it is the value as it"
          + " is; else the value is a JSON object of all others. Of an export the row is the key,"
          + " and its columns FAMILY:QUALIFIER are the fields.",
      "",
      "Servers see the version when it is whole, and load it the next time they look for versions."
    },
    sortOptions = false,
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stele dataset build scores scores.csv --key name",
      "  stele dataset build scores part1.jsonl part2.jsonl --key id --value score",
      "  stele export users | stele dataset build users - --format csv --value name:full",
      "  stele dataset build scores scores.tsv --columns key,value --root hdfs://nn/datasets"
    })
public final class DatasetBuildCommand implements Callable<Integer> {
  private static final String PIPE = "-";
  private static final DateTimeFormatter VERSION =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "DATASET", description = "The dataset.")
  private String dataset = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "FILE",
      description = "The files; - for standard input.")
  private List<String> files = List.of();

  @Option(
      names = "--root",
      paramLabel = "DIR",
      defaultValue = "stele-data/datasets",
      description =
          "Where servers look for versions, a directory or a URI (default: ${DEFAULT-VALUE}).")
  private String root = "stele-data/datasets";

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "The version's name; later ones must be greater, byte by byte (default: the time, such as"
              + " 20261116-083000).")
  private @Nullable String version;

  @Option(
      names = "--shards",
      paramLabel = "N",
      defaultValue = "16",
      description = "Into how many shards (default: ${DEFAULT-VALUE}).")
  private int shards = 16;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "csv, tsv or json (default: as each file's name ends).")
  private @Nullable String formatName;

  @Option(
      names = "--key",
      paramLabel = "NAME",
      defaultValue = "key",
      description = "The field that is the key (default: ${DEFAULT-VALUE}).")
  private String key = "key";

  @Option(names = "--value", paramLabel = "NAME", description = "The field that is the value.")
  private @Nullable String value;

  @Option(
      names = "--columns",
      paramLabel = "NAME,...",
      split = ",",
      description = "The names of the fields of CSV or TSV files that have no header.")
  private List<String> names = List.of();

  @Option(
      names = "--escaped",
      description = "Texts hold \\xHH, \\n, \\t, \\r and \\\\ (default: they are as they are).")
  private boolean escaped;

  @Option(
      names = "--as",
      paramLabel = "FORM",
      defaultValue = "sparkey",
      description =
          "How it is written: sparkey, or text, which people can read and some bytes do not fit in"
              + " (default: ${DEFAULT-VALUE}).")
  private String form = "sparkey";

  @Mixin private OutputOption output = new OutputOption();

  @Override
  public Integer call() throws IOException {
    VersionOutput.Format written = format();
    for (String file : files) {
      FileFormat kind = FileFormat.choose(formatName, file);
      if (kind == FileFormat.JSON && !names.isEmpty()) {
        throw new InvalidRequestException("--columns with JSON lines: they name their fields");
      }
      if (!file.equals(PIPE) && !Files.isRegularFile(Path.of(file))) {
        throw new InvalidRequestException("there is no file '" + file + "' to read");
      }
    }
    String name =
        version != null ? version : VERSION.format(Instant.now().truncatedTo(ChronoUnit.SECONDS));
    CommandEnvironment environment = CommandEnvironment.of(spec);
    Progress progress =
        new Progress(
            spec.commandLine().getErr(), environment.interactive(), size(), System::nanoTime);
    try (VersionOutput out = provider().create(root, dataset, name, shards, written)) {
      long read = 0;
      long records = 0;
      for (String file : files) {
        try (LineInput lines = new LineInput(input(file, environment))) {
          records = write(file, lines, out, progress, read, records);
          read += lines.bytes();
        }
      }
      VersionOutput.Summary made = out.finish();
      progress.clear();
      report(name, made, progress);
    } finally {
      progress.clear();
    }
    return ExitCode.OK;
  }

  private VersionOutput.Format format() {
    return switch (form) {
      case "sparkey" -> VersionOutput.Format.SPARKEY;
      case "text" -> VersionOutput.Format.TEXT;
      default -> throw new InvalidRequestException("--as '" + form + "': must be sparkey or text");
    };
  }

  private static VersionOutput.Provider provider() {
    return ServiceLoader.load(
            VersionOutput.Provider.class, DatasetBuildCommand.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () ->
                new UnavailableException(
                    "cannot write versions: io.stele:stele-datasets must be on the class path"));
  }

  private long size() throws IOException {
    long bytes = 0;
    for (String file : files) {
      if (file.equals(PIPE)) {
        return 0; // nobody knows
      }
      bytes += Files.size(Path.of(file));
    }
    return bytes;
  }

  private static InputStream input(String file, CommandEnvironment environment) throws IOException {
    return file.equals(PIPE)
        ? environment.requireInput("file '-'", "name a file")
        : Files.newInputStream(Path.of(file));
  }

  private long write(
      String file,
      LineInput lines,
      VersionOutput out,
      Progress progress,
      long before,
      long recordsBefore)
      throws IOException {
    long records = recordsBefore;
    long line = 1;
    try {
      Pairs pairs =
          Pairs.open(
              FileFormat.choose(formatName, file),
              lines,
              new Pairs.Choice(key, value, escaped),
              names);
      while (true) {
        line = lines.number() + 1;
        Optional<Pairs.Pair> next = pairs.next();
        if (next.isEmpty()) {
          return records;
        }
        out.put(next.get().key(), next.get().value());
        records++;
        progress.update(before + lines.bytes(), records);
      }
    } catch (InvalidRequestException e) {
      throw new InvalidRequestException(
          "%s, line %d: %s\nNothing was written.".formatted(file, line, e.getMessage()), e);
    }
  }

  private void report(String name, VersionOutput.Summary made, Progress progress) {
    double seconds = progress.elapsed().toNanos() / 1e9;
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("dataset", dataset);
    json.put("version", name);
    json.put("path", made.path());
    json.put("shards", made.shards());
    json.put("records", made.records());
    json.put("bytes", made.bytes());
    json.put("seconds", seconds);
    spec.commandLine()
        .getOut()
        .print(
            output.format() == OutputFormat.JSON
                ? Json.write(json) + "\n"
                : String.format(
                    Locale.ROOT,
                    "version %s of dataset %s: %s in %s, in %.1f s\n",
                    name,
                    dataset,
                    Count.of(made.records(), "record"),
                    Count.of(made.shards(), "shard"),
                    seconds));
    spec.commandLine().getOut().flush();
  }
}
