package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.Count;
import io.stele.cli.ExitCode;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stele table join}. */
@Command(
    name = "join",
    description = "Join the tablet that holds a row with the one behind it.",
    footer = "  stele table join users m")
final class JoinCommand extends ConnectedCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The table's name.")
  private String name = "";

  @Parameters(index = "1", paramLabel = "ROW", description = "A row of the lower tablet.")
  private String row = "";

  @Override
  protected int run(Connection connection) {
    Bytes key = CellText.row(row);
    connection.tables().join(name, key);
    int tablets = connection.tables().tablets(name).size();
    print(
        () -> Map.of("tablets", tablets),
        () -> "table %s has %s now\n".formatted(name, Count.of(tablets, "tablet")));
    return ExitCode.OK;
  }
}
