package io.stele.cli.table;

import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stele table truncate}. */
@Command(
    name = "truncate",
    description = "Delete all rows of a table at once; it asks first.",
    footer = "  stele table truncate users --yes")
final class TruncateCommand extends ConnectedCommand {
  @Parameters(paramLabel = "NAME", description = "The table's name.")
  private String name = "";

  @Mixin private Confirmation confirmation = new Confirmation();

  @Override
  protected int run(Connection connection) {
    connection.tables().schema(name); // nobody is asked about a table that is not there
    String question = "Delete all rows of table %s?".formatted(name);
    if (!confirmation.given(environment().prompt(), question)) {
      err().println("Nothing was done.");
      err().flush();
      return ExitCode.FAILURE;
    }
    connection.table(name).truncate();
    print(() -> Map.of("table", name), () -> "table " + name + " emptied\n");
    return ExitCode.OK;
  }
}
