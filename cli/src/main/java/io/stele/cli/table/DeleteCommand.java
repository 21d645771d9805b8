package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.RowRange;
import io.stele.base.predicate.TimeText;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import io.stele.client.table.RowMutation;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele delete}. */
@Command(
    name = "delete",
    description = {
      "Delete a row, some of its columns, one version of a column, or a range of rows.",
      "",
      "Of a range it prints how many rows there were; a range is not deleted all at once."
    },
    footer = {
      "  stele delete users 42",
      "  stele delete users 42 name:first photo:",
      "  stele delete users 42 name:first --time 2026-01-02T03:04:05Z",
      "  stele delete users --from user/1 --to user/2",
      "  stele delete users --prefix session/"
    })
final class DeleteCommand extends ConnectedCommand {
  @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
  private String table = "";

  @Parameters(index = "1", arity = "0..1", paramLabel = "ROW", description = "The row's key.")
  private @Nullable String row;

  @Parameters(
      index = "2..*",
      arity = "0..*",
      paramLabel = "FAMILY:QUALIFIER",
      description = "The columns; FAMILY: is a whole family (default: the whole row).")
  private List<String> columns = List.of();

  @Option(
      names = "--time",
      paramLabel = "TIME",
      description = "Only the version with this time, of each column.")
  private @Nullable String time;

  @Option(names = "--from", paramLabel = "ROW", description = "All rows from this one on.")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "ROW", description = "All rows before this one.")
  private @Nullable String to;

  @Option(names = "--prefix", paramLabel = "TEXT", description = "All rows that begin so.")
  private @Nullable String prefix;

  @Mixin private AcksOption acks = new AcksOption();

  private @Nullable RowMutation mutation;
  private @Nullable RowRange range;

  @Override
  protected void prepare() {
    boolean ofRange = from != null || to != null || prefix != null;
    if (ofRange == (row != null)) {
      throw new InvalidRequestException(
          ofRange
              ? "row '" + row + "' and a range: give a row, or --from, --to or --prefix"
              : "nothing to delete: give a row, or a range by --from, --to or --prefix; `stele"
                  + " table truncate` deletes all rows");
    }
    mutation = row == null ? null : mutation(CellText.row(row));
    range = row == null ? range() : null;
  }

  private RowMutation mutation(Bytes key) {
    if (time != null && columns.isEmpty()) {
      throw new InvalidRequestException("--time without columns: name those of the version");
    }
    RowMutation changes = RowMutation.of(key);
    for (String argument : columns) {
      Column column = CellText.column(argument);
      boolean ofFamily = CellText.isFamily(argument);
      if (ofFamily && time != null) {
        throw new InvalidRequestException(
            "--time with the family '%s': a version is one of a column".formatted(argument));
      }
      if (ofFamily) {
        changes.deleteFamily(column.family().toUtf8());
      } else if (time != null) {
        changes.deleteCell(column.family(), column.qualifier(), TimeText.parse(time));
      } else {
        changes.deleteColumn(column.family(), column.qualifier());
      }
    }
    return columns.isEmpty() ? changes.deleteRow() : changes;
  }

  private RowRange range() {
    if (time != null) {
      throw new InvalidRequestException("--time with a range of rows: it is for columns of a row");
    }
    if (prefix != null) {
      if (from != null || to != null) {
        throw new InvalidRequestException("--prefix with --from or --to: give one or the other");
      }
      if (prefix.isEmpty()) {
        throw new InvalidRequestException(
            "--prefix '' is every row: `stele table truncate` deletes all rows");
      }
      return RowRange.prefix(CellText.argument("--prefix", prefix));
    }
    Bytes first = from == null ? Bytes.EMPTY : CellText.argument("--from", from);
    Bytes end = to == null ? null : CellText.argument("--to", to);
    if (end != null && first.compareTo(end) >= 0) {
      throw new InvalidRequestException(
          "--from %s --to %s is empty: --from must be below --to".formatted(from, to));
    }
    return new RowRange(first, end);
  }

  @Override
  protected int run(Connection connection) {
    if (range != null) {
      long rows = acks.of(connection.table(table)).deleteRows(range);
      print(() -> Map.of("rows", rows), () -> rows + "\n");
    } else if (mutation != null) {
      acks.of(connection.table(table)).mutate(mutation);
      print(Map::of, () -> "");
    }
    return ExitCode.OK;
  }
}
