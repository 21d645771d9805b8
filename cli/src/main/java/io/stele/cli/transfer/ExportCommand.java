package io.stele.cli.transfer;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.PredicateText;
import io.stele.base.predicate.ReadPredicate;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.Count;
import io.stele.cli.ExitCode;
import io.stele.cli.NewFile;
import io.stele.cli.table.ReadsOption;
import io.stele.client.table.Row;
import io.stele.client.table.RowScan;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele export}. */
@Command(
    name = "export",
    description = {
      "Write the cells of a table to a file, all versions, as `stele load` takes them back.",
      "",
      "CSV and TSV have a line for each cell: row, column, time, value. JSON has a line for each"
          + " row. The file is there when all is in it; one that exists is not touched."
    },
    footer = {
      "  stele export users users.csv",
      "  stele export users ada.jsonl \"row ~= 'ada' and history=1\"",
      "  stele export users - --format tsv | gzip > users.tsv.gz"
    })
final class ExportCommand extends ConnectedCommand {
  private static final String PIPE = "-";

  @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
  private String table = "";

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description = "The file, which must not exist; - for standard output.")
  private String file = "";

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "PREDICATE",
      description = "Which cells, as in `stele scan` (default: all).")
  private String predicateText = "";

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "csv, tsv or json (default: as the file's name ends).")
  private @Nullable String formatName;

  @Mixin private ReadsOption reads = new ReadsOption();

  private FileFormat format = FileFormat.CSV;
  private ReadPredicate predicate = ReadPredicate.ALL;
  private long rows;
  private long cells;

  @Override
  protected void prepare() {
    format = FileFormat.choose(formatName, file);
    predicate = PredicateText.parse(predicateText);
    if (file.equals(PIPE)) {
      if (wantsJson()) {
        throw new InvalidRequestException("file '-' with --output json: both are standard output");
      }
    } else {
      NewFile.check(Path.of(file));
    }
  }

  @Override
  protected int run(Connection connection) throws IOException {
    if (file.equals(PIPE)) {
      write(connection, out());
      out().flush();
      return ExitCode.OK;
    }
    Progress progress = new Progress(err(), environment().interactive(), 0, System::nanoTime);
    NewFile.write(
        Path.of(file),
        out -> {
          Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
          write(connection, writer, progress);
          writer.flush();
        });
    progress.clear();
    double seconds = progress.elapsed().toNanos() / 1e9;
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("rows", rows);
    json.put("cells", cells);
    json.put("seconds", seconds);
    print(
        () -> json,
        () ->
            String.format(
                Locale.ROOT,
                "%s (%s) written in %.1f s\n",
                Count.of(rows, "row"),
                Count.of(cells, "cell"),
                seconds));
    return ExitCode.OK;
  }

  private void write(Connection connection, Writer out) throws IOException {
    write(connection, out, new Progress(err(), false, 0, () -> 0));
  }

  private void write(Connection connection, Writer out, Progress progress) throws IOException {
    RowSink sink = RowSink.of(format);
    rows = 0;
    cells = 0;
    try (RowScan scan = reads.of(connection.table(table)).scan(predicate)) {
      sink.begin(out);
      for (Optional<Row> row = scan.next(); row.isPresent(); row = scan.next()) {
        sink.write(row.get(), out);
        rows++;
        cells += row.get().cells().size();
        progress.update(0, rows);
      }
    }
  }
}
