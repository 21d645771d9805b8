package io.stele.cli.table;

import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stele table copy}. */
@Command(
    name = "copy",
    description = {
      "Make a table that has what another has now.",
      "",
      "It names the same files, so it is done at once whatever their size; from then on each table"
          + " goes its own way. Tablet tables only."
    },
    footer = "  stele table copy users users-before-migration")
final class CopyCommand extends ConnectedCommand {
  @Parameters(index = "0", paramLabel = "SOURCE", description = "The table that is copied.")
  private String source = "";

  @Parameters(index = "1", paramLabel = "TARGET", description = "The new table's name.")
  private String target = "";

  @Override
  protected int run(Connection connection) {
    connection.tables().copy(source, target);
    print(
        () -> Map.of("source", source, "table", target),
        () -> "table " + source + " copied to " + target + "\n");
    return ExitCode.OK;
  }
}
