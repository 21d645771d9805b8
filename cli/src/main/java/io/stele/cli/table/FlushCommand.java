package io.stele.cli.table;

import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stele table flush}. */
@Command(
    name = "flush",
    description = "Write what a table has in memory to files.",
    footer = "  stele table flush users")
final class FlushCommand extends ConnectedCommand {
  @Parameters(paramLabel = "NAME", description = "The table's name.")
  private String name = "";

  @Override
  protected int run(Connection connection) {
    connection.tables().flush(name);
    print(() -> Map.of("table", name), () -> "table " + name + " flushed\n");
    return ExitCode.OK;
  }
}
