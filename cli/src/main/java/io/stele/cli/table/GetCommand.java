package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import io.stele.cli.Json;
import io.stele.client.table.Row;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele get}. */
@Command(
    name = "get",
    description = "Print a row, or some of its columns.",
    footer = {
      "  stele get users 42",
      "  stele get users 42 name: photo:small --history 3",
      "  stele get users 42 photo:small --raw > ada.png"
    })
final class GetCommand extends ConnectedCommand {
  @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
  private String table = "";

  @Parameters(index = "1", paramLabel = "ROW", description = "The row's key.")
  private String row = "";

  @Parameters(
      index = "2..*",
      arity = "0..*",
      paramLabel = "FAMILY:QUALIFIER",
      description = "The columns; FAMILY: is a whole family (default: all).")
  private List<String> columns = List.of();

  @Option(
      names = "--history",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many versions of each column; negative: all but so many of the newest (default:"
              + " ${DEFAULT-VALUE}).")
  private int history = 1;

  @Option(names = "--raw", description = "Write the value of the one column as it is.")
  private boolean raw;

  @Mixin private ReadsOption reads = new ReadsOption();

  private Bytes key = Bytes.EMPTY;
  private ReadPredicate predicate = ReadPredicate.ALL;

  @Override
  protected void prepare() {
    key = CellText.row(row);
    predicate =
        ReadPredicate.ALL
            .withHistory(history)
            .withColumns(columns.stream().map(GetCommand::range).toArray(ColumnRange[]::new));
    if (raw && columns.size() != 1) {
      throw new InvalidRequestException(
          "--raw with %d columns: name the one whose value to write".formatted(columns.size()));
    }
  }

  private static ColumnRange range(String argument) {
    Column column = CellText.column(argument);
    return CellText.isFamily(argument)
        ? ColumnRange.family(column.family())
        : ColumnRange.column(column.family(), column.qualifier());
  }

  @Override
  protected int run(Connection connection) {
    Row found =
        reads
            .of(connection.table(table))
            .get(key, predicate)
            .orElseThrow(() -> new NotFoundException(nothing()));
    if (raw) {
      byte[] value = found.cells().getFirst().value().toArray();
      System.out.write(value, 0, value.length);
      System.out.flush();
    } else if (wantsJson()) {
      out().println(Json.write(CellJson.row(found)));
      out().flush();
    } else {
      CellTable cells = new CellTable(out(), false);
      cells.add(found);
      cells.flush();
    }
    return ExitCode.OK;
  }

  private String nothing() {
    return "table %s has no row %s%s"
        .formatted(
            table,
            CellText.show(key),
            columns.isEmpty() ? "" : " with a column " + String.join(" or ", columns));
  }
}
