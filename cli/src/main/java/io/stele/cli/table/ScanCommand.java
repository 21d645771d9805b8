package io.stele.cli.table;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.PredicateText;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.table.ScanOptions;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import io.stele.cli.Json;
import io.stele.client.table.Row;
import io.stele.client.table.RowScan;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele scan}. */
@Command(
    name = "scan",
    description = {
      "Print the rows of a table, in their order, or those that a predicate wants.",
      "",
      "A predicate compares row, column and time by < <= > >= = and ~= (begins with); 'or' joins"
          + " intervals of one of them, 'and' joins them, and history=N limits the versions of a"
          + " column, of which otherwise the newest is printed. With --output json, each row is one"
          + " line."
    },
    footer = {
      "  stele scan users --limit 10",
      "  stele scan users \"row ~= 'user/' and column = 'name:first'\"",
      "  stele scan users \"'a' <= row < 'c' or row = 'x' and column ~= 'name:'\"",
      "  stele scan users \"time >= 2026-01-01T00:00:00Z and history=3\" --output json"
    })
final class ScanCommand extends ConnectedCommand {
  @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
  private String table = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PREDICATE",
      description = "Which cells (default: all).")
  private String predicateText = "";

  @Option(names = "--limit", paramLabel = "N", description = "The most rows to print.")
  private long limit;

  @Option(names = "--versions", description = "All versions of each column, not only the newest.")
  private boolean versions;

  @Option(names = "--count", description = "Only print how many rows there are.")
  private boolean count;

  @Option(names = "--latest", description = "Also what is committed and not yet durable.")
  private boolean latest;

  @Mixin private ReadsOption reads = new ReadsOption();

  private ReadPredicate predicate = ReadPredicate.ALL;

  @Override
  protected void prepare() {
    if (limit < 0) {
      throw new InvalidRequestException("--limit " + limit + ": must not be negative");
    }
    predicate = PredicateText.parse(predicateText);
    if (predicate.history() == ReadPredicate.ALL_VERSIONS && !versions) {
      predicate = predicate.withHistory(1);
    }
  }

  @Override
  protected int run(Connection connection) {
    if (count) {
      long rows = each(connection, _ -> {});
      print(() -> Map.of("rows", rows), () -> rows + "\n");
    } else if (wantsJson()) {
      each(connection, row -> out().println(Json.writeLine(CellJson.row(row))));
      out().flush();
    } else {
      CellTable cells = new CellTable(out(), true);
      each(connection, cells::add);
      cells.flush();
    }
    return ExitCode.OK;
  }

  private long each(Connection connection, Consumer<Row> action) {
    ScanOptions options = ScanOptions.DEFAULT.withMaxRows(limit).withLatest(latest);
    long rows = 0;
    try (RowScan scan = reads.of(connection.table(table)).scan(predicate, options)) {
      for (Optional<Row> row = scan.next(); row.isPresent(); row = scan.next()) {
        action.accept(row.get());
        rows++;
      }
    }
    return rows;
  }
}
