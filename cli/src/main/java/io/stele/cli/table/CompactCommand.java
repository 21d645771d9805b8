package io.stele.cli.table;

import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stele table compact}. */
@Command(
    name = "compact",
    description = "Merge the files of a table, and drop what is deleted or no longer wanted.",
    footer = "  stele table compact users")
final class CompactCommand extends ConnectedCommand {
  @Parameters(paramLabel = "NAME", description = "The table's name.")
  private String name = "";

  @Override
  protected int run(Connection connection) {
    connection.tables().compact(name);
    print(() -> Map.of("table", name), () -> "table " + name + " compacted\n");
    return ExitCode.OK;
  }
}
