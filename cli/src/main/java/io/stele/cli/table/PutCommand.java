package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
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

/** {@code stele put}. */
@Command(
    name = "put",
    description = "Write values to columns of a row, all or nothing.",
    footer = {
      "  stele put users 42 name:first Ada name:last Lovelace",
      "  stele put users 42 photo:small @ada.png",
      "  stele put users 'id\\x00\\x2a' name:first hex:416461 --time 2026-01-02T03:04:05Z"
    })
final class PutCommand extends ConnectedCommand {
  @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
  private String table = "";

  @Parameters(index = "1", paramLabel = "ROW", description = "The row's key.")
  private String row = "";

  @Parameters(
      index = "2..*",
      arity = "1..*",
      paramLabel = "FAMILY:QUALIFIER VALUE",
      description = {
        "Columns, each with its value: text with \\xHH for bytes, hex:..., base64:..., text:..."
            + " taken as it is, @FILE, or - for standard input."
      })
  private List<String> pairs = List.of();

  @Option(
      names = "--time",
      paramLabel = "TIME",
      description =
          "The version to write: 2026-01-02T03:04:05Z, or @ and microseconds (default: now, by the"
              + " server's clock).")
  private @Nullable String time;

  @Mixin private AcksOption acks = new AcksOption();

  private @Nullable RowMutation mutation;

  @Override
  protected void prepare() throws Exception {
    if (pairs.size() % 2 != 0) {
      throw new InvalidRequestException("column '" + pairs.getLast() + "' has no value behind it");
    }
    long timestamp = time == null ? Cell.SERVER_TIME : TimeText.parse(time);
    RowMutation changes = RowMutation.of(CellText.row(row));
    for (int i = 0; i < pairs.size(); i += 2) {
      Column column = CellText.column(pairs.get(i));
      Bytes value = ValueArgument.read(pairs.get(i + 1), environment());
      changes.put(column.family(), column.qualifier(), timestamp, value);
    }
    mutation = changes;
  }

  @Override
  protected int run(Connection connection) {
    if (mutation != null) {
      acks.of(connection.table(table)).mutate(mutation);
    }
    print(() -> Map.of("cells", pairs.size() / 2), () -> "");
    return ExitCode.OK;
  }
}
