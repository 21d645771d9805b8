package io.stele.cli.table;

import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stele table drop}. */
@Command(
    name = "drop",
    description = "Remove a table with all that it holds; it asks first.",
    footer = "  stele table drop users --yes")
final class DropCommand extends ConnectedCommand {
  @Parameters(paramLabel = "NAME", description = "The table's name.")
  private String name = "";

  @Mixin private Confirmation confirmation = new Confirmation();

  @Override
  protected int run(Connection connection) {
    connection.tables().schema(name); // nobody is asked about a table that is not there
    String question = "Drop table %s and all its rows?".formatted(name);
    if (!confirmation.given(environment().prompt(), question)) {
      err().println("Nothing was done.");
      err().flush();
      return ExitCode.FAILURE;
    }
    connection.tables().drop(name);
    print(() -> Map.of("table", name), () -> "table " + name + " dropped\n");
    return ExitCode.OK;
  }
}
