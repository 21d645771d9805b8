package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.table.RowRule;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import io.stele.cli.ValueText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stele append}. */
@Command(
    name = "append",
    description = "Append to the value of a column, and print the new one.",
    footer = "  stele append users 42 log:visits ' monday'")
final class AppendCommand extends ConnectedCommand {
  @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
  private String table = "";

  @Parameters(index = "1", paramLabel = "ROW", description = "The row's key.")
  private String row = "";

  @Parameters(index = "2", paramLabel = "FAMILY:QUALIFIER", description = "The column.")
  private String columnText = "";

  @Parameters(
      index = "3",
      paramLabel = "VALUE",
      description = "What to append, in any form that `stele put` takes.")
  private String valueText = "";

  private Bytes key = Bytes.EMPTY;
  private Column column = Column.FIRST;
  private Bytes value = Bytes.EMPTY;

  @Override
  protected void prepare() throws Exception {
    key = CellText.row(row);
    column = CellText.column(columnText);
    value = ValueArgument.read(valueText, environment());
  }

  @Override
  protected int run(Connection connection) {
    List<RowRule> rules = List.of(new RowRule.Append(column.family(), column.qualifier(), value));
    Bytes whole = connection.table(table).readModifyWrite(key, rules).cells().getFirst().value();
    print(() -> json(whole), () -> CellText.show(whole) + "\n");
    return ExitCode.OK;
  }

  private static Map<String, Object> json(Bytes whole) {
    Map<String, Object> object = new LinkedHashMap<>();
    ValueText.putJson(object, "value", whole);
    return object;
  }
}
