package io.stele.cli.replica;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.table.Replicas;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele replica metadata}: the METADATA files of replicated tables, and who keeps them. */
@Command(
    name = "metadata",
    description = {
      "Print the METADATA file that is valid: partitions and their assignments.",
      "",
      "With a command, change which servers keep it, or list tables again in a metastore that has"
          + " lost them."
    },
    commandListHeading = "%nCommands:%n",
    footer = {
      "  stele replica metadata events",
      "  stele replica metadata events --output json",
      "  stele replica metadata join events 10.0.0.4:7835",
      "  stele replica metadata adopt"
    },
    subcommands = {
      MetadataCommand.Join.class,
      MetadataCommand.Remove.class,
      MetadataCommand.Adopt.class
    })
final class MetadataCommand extends ConnectedCommand {
  @Parameters(arity = "0..1", paramLabel = "TABLE", description = "The table.")
  private String table = "";

  @Override
  protected void prepare() {
    if (table.isEmpty()) {
      throw new InvalidRequestException("no TABLE: name the table whose METADATA is to be printed");
    }
  }

  @Override
  protected int run(Connection connection) {
    Replicas.Metadata metadata = connection.replicas().metadata(table);
    print(() -> StatusText.json(metadata), () -> StatusText.text(metadata));
    return ExitCode.OK;
  }

  @Command(
      name = "join",
      description = {
        "Have a server keep the METADATA file of a table, in addition to those that do.",
        "",
        "Servers see to it themselves that three of them keep it."
      },
      footer = "  stele replica metadata join events 10.0.0.4:7835")
  static final class Join extends ConnectedCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
    private String table = "";

    @Parameters(index = "1", paramLabel = "SERVER", description = "Its id or address.")
    private String server = "";

    @Override
    protected int run(Connection connection) {
      connection.replicas().joinMetadata(table, server);
      return printServers(this, connection, table);
    }
  }

  @Command(
      name = "remove",
      description = {
        "Take a server, live or not, out of those that keep the METADATA file of a table.",
        "",
        "Refused if none of those that would be left has the file."
      },
      footer = "  stele replica metadata remove events 9a03d2b1c4e5f607")
  static final class Remove extends ConnectedCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
    private String table = "";

    @Parameters(
        index = "1",
        paramLabel = "SERVER",
        description = "Its id, or its address if it is live.")
    private String server = "";

    @Override
    protected int run(Connection connection) {
      connection.replicas().removeMetadata(table, server);
      return printServers(this, connection, table);
    }
  }

  @Command(
      name = "adopt",
      description = {
        "List the tables that servers know in a metastore that has lost them: after the loss of its"
            + " disks, or the restore of a backup that is older than a table or its METADATA.",
        "",
        "Every server keeps what it knows of tables on its disk. Of each table the newest METADATA"
            + " is listed; tables whose drop is on record are left alone. To run it twice does no"
            + " harm."
      },
      footer = "  stele replica metadata adopt")
  static final class Adopt extends ConnectedCommand {
    @Option(
        names = "--force",
        description =
            "Replace METADATA that is listed and cannot be had, even if a server that may have it"
                + " is away: changes of partitions that only that server knows are lost.")
    private boolean force;

    @Override
    protected int run(Connection connection) {
      List<String> lines = connection.replicas().adopt(force);
      print(
          () -> Map.of("lines", lines),
          () ->
              lines.isEmpty()
                  ? "no server knows of any replicated table\n"
                  : lines.stream().collect(Collectors.joining("\n", "", "\n")));
      return ExitCode.OK;
    }
  }

  private static int printServers(ConnectedCommand command, Connection connection, String table) {
    List<String> servers =
        connection.replicas().metadata(table).servers().stream()
            .map(each -> each.address().isEmpty() ? each.id() + " (away)" : each.address())
            .toList();
    command.print(
        () -> Map.of("table", table, "servers", servers),
        () -> "METADATA of table " + table + " is kept by " + String.join(", ", servers) + "\n");
    return ExitCode.OK;
  }
}
