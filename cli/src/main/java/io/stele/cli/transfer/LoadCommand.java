package io.stele.cli.transfer;

import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.Clock;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.Count;
import io.stele.cli.ExitCode;
import io.stele.cli.table.AcksOption;
import io.stele.cli.table.CellText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele load}. */
@Command(
    name = "load",
    description = {
      "Load the rows of a file: CSV, TSV, or JSON lines.",
      "",
      "The first line of a CSV or TSV file names its fields, and each further line is a row; of"
          + " JSON lines, each is an object. One field is the row's key, and the others are"
          + " columns: those named FAMILY:QUALIFIER by themselves, others by --family or --map."
          + " Empty fields are not stored. What `stele export` wrote is recognized, and loaded"
          + " exactly."
    },
    footer = {
      "  stele load users users.csv --row id --family profile",
      "  stele load users users.tsv --row id --map 'full name=name:full' --skip comment",
      "  stele load users users.jsonl --on-error skip",
      "  zcat export.csv.gz | stele load users - --format csv"
    })
final class LoadCommand extends ConnectedCommand {
  private static final int MISTAKES_SHOWN = 20;
  private static final String PIPE = "-";

  @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
  private String table = "";

  @Parameters(index = "1", paramLabel = "FILE", description = "The file; - for standard input.")
  private String file = "";

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "csv, tsv or json (default: as the file's name ends).")
  private @Nullable String formatName;

  @Option(
      names = "--row",
      paramLabel = "NAME",
      defaultValue = "row",
      description = "The field that is the row's key (default: ${DEFAULT-VALUE}).")
  private String row = "row";

  @Option(
      names = "--family",
      paramLabel = "FAMILY",
      description = "The family of fields that are not named FAMILY:QUALIFIER.")
  private @Nullable String family;

  @Option(
      names = "--map",
      paramLabel = "NAME=FAMILY:QUALIFIER",
      description = "The column of a field.")
  private List<String> maps = List.of();

  @Option(names = "--skip", paramLabel = "NAME", description = "A field to leave out.")
  private List<String> skips = List.of();

  @Option(
      names = "--columns",
      paramLabel = "NAME,...",
      split = ",",
      description = "The names of the fields of a CSV or TSV file that has no header.")
  private List<String> names = List.of();

  @Option(
      names = "--escaped",
      description = "Texts hold \\xHH, \\n, \\t, \\r and \\\\ (default: they are as they are).")
  private boolean escaped;

  @Option(
      names = "--on-error",
      paramLabel = "stop|skip",
      defaultValue = "stop",
      description = "What to do at a line that is wrong (default: ${DEFAULT-VALUE}).")
  private String onError = "stop";

  @Mixin private AcksOption acks = new AcksOption();

  private FileFormat format = FileFormat.CSV;
  private Optional<ColumnMapping> mapping = Optional.empty();

  @Override
  protected void prepare() {
    if (!onError.equals("stop") && !onError.equals("skip")) {
      throw new InvalidRequestException("--on-error '" + onError + "': must be stop or skip");
    }
    format = FileFormat.choose(formatName, file);
    if (format == FileFormat.JSON && !names.isEmpty()) {
      throw new InvalidRequestException("--columns with JSON lines: they name their fields");
    }
    Map<String, Column> columns = new LinkedHashMap<>();
    for (String map : maps) {
      int equals = map.indexOf('=');
      if (equals < 1) {
        throw new InvalidRequestException(
            "--map '%s': must be NAME=FAMILY:QUALIFIER".formatted(map));
      }
      columns.put(map.substring(0, equals), CellText.column(map.substring(equals + 1)));
    }
    Set<String> skipped = new LinkedHashSet<>(skips);
    mapping =
        Optional.of(new ColumnMapping(row, Optional.ofNullable(family), columns, skipped, escaped));
    if (!file.equals(PIPE) && !Files.isRegularFile(Path.of(file))) {
      throw new InvalidRequestException("there is no file '" + file + "' to load");
    }
  }

  @Override
  protected int run(Connection connection) throws IOException {
    TableSchema schema = connection.tables().schema(table);
    long size = file.equals(PIPE) ? 0 : Files.size(Path.of(file));
    Progress progress = new Progress(err(), environment().interactive(), size, System::nanoTime);
    try (LineInput lines = new LineInput(input())) {
      RowSource source = source(lines);
      Loader loader =
          new Loader(
              acks.of(connection.table(table)), schema, lines, source, Clock.system().micros());
      try {
        loader.load(mistakes(progress), progress);
      } catch (SteleException e) {
        progress.clear();
        if (!(e instanceof InvalidRequestException)) {
          err()
              .printf(
                  "Not all rows up to line %d are loaded; the same load can be repeated.%n",
                  loader.line());
        }
        throw e;
      }
      progress.clear();
      report(loader, progress);
    }
    return ExitCode.OK;
  }

  private InputStream input() throws IOException {
    return file.equals(PIPE)
        ? environment().requireInput("file '-'", "name a file")
        : Files.newInputStream(Path.of(file));
  }

  private RowSource source(LineInput lines) throws IOException {
    ColumnMapping columns = mapping.orElseThrow();
    try {
      return switch (format) {
        case CSV -> FieldRows.open(lines, new Fields.Commas(), columns, names);
        case TSV -> FieldRows.open(lines, new Fields.Tabs(), columns, names);
        case JSON -> new JsonRows(lines, columns);
      };
    } catch (InvalidRequestException e) {
      throw new InvalidRequestException("line 1: " + e.getMessage(), e);
    }
  }

  /** Names the first lines that are left out; the others are only counted. */
  private Optional<BiConsumer<Long, String>> mistakes(Progress progress) {
    if (onError.equals("stop")) {
      return Optional.empty();
    }
    int[] shown = {0};
    return Optional.of(
        (line, mistake) -> {
          if (shown[0]++ < MISTAKES_SHOWN) {
            progress.clear();
            err().printf("line %d: %s%n", line, mistake);
            err().flush();
          }
        });
  }

  private void report(Loader loader, Progress progress) {
    if (loader.skipped() > MISTAKES_SHOWN) {
      err().printf("... and %,d more%n", loader.skipped() - MISTAKES_SHOWN);
      err().flush();
    }
    double seconds = progress.elapsed().toNanos() / 1e9;
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("rows", loader.rows());
    json.put("cells", loader.cells());
    json.put("skippedLines", loader.skipped());
    json.put("seconds", seconds);
    print(
        () -> json,
        () ->
            String.format(
                Locale.ROOT,
                "%s (%s) loaded in %.1f s%s\n",
                Count.of(loader.rows(), "row"),
                Count.of(loader.cells(), "cell"),
                seconds,
                loader.skipped() == 0
                    ? ""
                    : "; " + Count.of(loader.skipped(), "line") + " left out"));
  }
}
