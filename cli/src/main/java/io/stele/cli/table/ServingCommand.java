package io.stele.cli.table;

import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Whether a server serves a table: {@code stele table serve} and {@code stele table unload}. */
final class ServingCommand {
  private ServingCommand() {}

  @Command(
      name = "serve",
      description = "Serve all tablets of a table again, or a table that is described by a file.",
      footer = {"  stele table serve users", "  stele table serve old --config old/state"})
  static final class Serve extends ConnectedCommand {
    @Parameters(paramLabel = "NAME", description = "The table's name.")
    private String name = "";

    @Option(
        names = "--config",
        paramLabel = "FILE",
        description =
            "The server's file that describes the table; such a table never moves or splits.")
    private @Nullable String config;

    @Override
    protected int run(Connection connection) {
      if (config == null) {
        connection.tables().loadTable(name);
      } else {
        connection.tables().loadFixedTable(name, config);
      }
      print(() -> Map.of("table", name), () -> "table " + name + " is served\n");
      return ExitCode.OK;
    }
  }

  @Command(
      name = "unload",
      description = "Stop serving all tablets of a table; what it holds stays on disk.",
      footer = "  stele table unload users")
  static final class Unload extends ConnectedCommand {
    @Parameters(paramLabel = "NAME", description = "The table's name.")
    private String name = "";

    @Override
    protected int run(Connection connection) {
      connection.tables().unloadTable(name);
      print(() -> Map.of("table", name), () -> "table " + name + " is not served any more\n");
      return ExitCode.OK;
    }
  }
}
