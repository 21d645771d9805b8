package io.stele.cli.table;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.table.RowRule;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import io.stele.client.table.Row;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele increment}. */
@Command(
    name = "increment",
    description = {
      "Add to a counter and print its new value.",
      "",
      "A counter is a value of eight bytes, a big-endian integer; one that is not there counts as"
          + " 0."
    },
    footer = {
      "  stele increment pages /index.html hits:total",
      "  stele increment stock bolt-m6 count:left --by -20"
    })
final class IncrementCommand extends ConnectedCommand {
  @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
  private String table = "";

  @Parameters(index = "1", paramLabel = "ROW", description = "The row's key.")
  private String row = "";

  @Parameters(index = "2", paramLabel = "FAMILY:QUALIFIER", description = "The column.")
  private String column = "";

  @Option(
      names = "--by",
      paramLabel = "N",
      defaultValue = "1",
      description = "How much to add (default: ${DEFAULT-VALUE}).")
  private long amount = 1;

  private Bytes key = Bytes.EMPTY;
  private Column counter = Column.FIRST;

  @Override
  protected void prepare() {
    key = CellText.row(row);
    counter = CellText.column(column);
  }

  @Override
  protected int run(Connection connection) {
    Row written =
        connection
            .table(table)
            .readModifyWrite(
                key, List.of(new RowRule.Increment(counter.family(), counter.qualifier(), amount)));
    long value = Binary.getLongBigEndian(written.cells().getFirst().value().sharedArray(), 0);
    print(() -> Map.of("value", value), () -> value + "\n");
    return ExitCode.OK;
  }
}
