package io.stele.cli.replica;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.Replicas;
import io.stele.base.table.Replicas.Difference;
import io.stele.base.table.TableAdmin;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.Count;
import io.stele.cli.ExitCode;
import io.stele.cli.ValueText;
import io.stele.cli.table.CellText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stele replica}: the replicas of replicated tables. */
@Command(
    name = "replica",
    description = {
      "Look after replicated tables: which servers have what, and whether they agree.",
      "",
      "They are made by `stele table create NAME --kind replicated`, and read and written as other"
          + " tables are."
    },
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stele replica status events",
      "  stele replica split events",
      "  stele replica verify events --prefix 2026-01"
    },
    subcommands = {
      ReplicaCommand.Status.class,
      MetadataCommand.class,
      ReplicaCommand.Split.class,
      ReplicaCommand.Repair.class,
      ReplicaCommand.Remove.class,
      ReplicaCommand.Verify.class
    })
final class ReplicaCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Without a subcommand there is nothing to do: says what there would be. */
  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }

  @Command(
      name = "status",
      description = {
        "Show the partitions of a table, or of all replicated tables: where their replicas are, how"
            + " much each has yet to get, and how far splits and copies have come.",
        "",
        "Ends with 1 if a replica's server does not answer."
      },
      footer = {"  stele replica status events", "  stele replica status --output json"})
  static final class Status extends ConnectedCommand {
    @Parameters(arity = "0..1", paramLabel = "TABLE", description = "The table (default: all).")
    private String table = "";

    @Override
    protected int run(Connection connection) {
      List<Replicas.Status> found = new ArrayList<>();
      if (table.isEmpty()) {
        for (String name : replicated(connection.tables())) {
          found.add(connection.replicas().status(name));
        }
      } else {
        found.add(connection.replicas().status(table));
      }
      print(
          () ->
              table.isEmpty()
                  ? found.stream().map(StatusText::json).toList()
                  : StatusText.json(found.getFirst()),
          () ->
              found.isEmpty()
                  ? "there are no replicated tables\n"
                  : found.stream().map(StatusText::text).collect(Collectors.joining("\n")));
      return found.stream().allMatch(StatusText::isWell) ? ExitCode.OK : ExitCode.FAILURE;
    }

    private static List<String> replicated(TableAdmin tables) {
      return tables.list(false).stream().filter(name -> isReplicated(tables, name)).toList();
    }

    /** Not if it was dropped since the names were asked for. */
    private static boolean isReplicated(TableAdmin tables, String name) {
      try {
        return tables.schema(name).replication().isPresent();
      } catch (NotFoundException e) {
        return false;
      }
    }
  }

  @Command(
      name = "split",
      description = {
        "Begin to split a partition in two, and print the last row of the lower one.",
        "",
        "It goes on by itself, while rows are read and written; `stele replica status` shows how"
            + " far it is."
      },
      footer = {
        "  stele replica split events                 # the first partition, in its middle",
        "  stele replica split events m               # at a row",
        "  stele replica split events --partition m   # the one that holds a row, in its middle"
      })
  static final class Split extends ConnectedCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
    private String table = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "ROW",
        description = "What will be the last row of the lower half (default: chosen by size).")
    private @Nullable String row;

    @Option(
        names = "--partition",
        paramLabel = "ROW",
        description = "A row of the partition to split (default: the first partition).")
    private @Nullable String holding;

    @Override
    protected void prepare() {
      if (row != null && holding != null) {
        throw new InvalidRequestException(
            "row '%s' and --partition '%s': a row says which partition to split, give one"
                .formatted(row, holding));
      }
    }

    @Override
    protected int run(Connection connection) {
      Bytes at =
          row != null
              ? CellText.row(row)
              : holding != null ? CellText.argument("--partition", holding) : Bytes.EMPTY;
      Bytes done = connection.replicas().split(table, at, row == null ? Bytes.EMPTY : at);
      print(
          () -> {
            Map<String, Object> object = new LinkedHashMap<>();
            ValueText.putJson(object, "row", done);
            return object;
          },
          () -> CellText.show(done) + "\n");
      return ExitCode.OK;
    }
  }

  @Command(
      name = "repair",
      description =
          "Give every replica what others have and it lacks, and print how many cells that took.",
      footer = {"  stele replica repair events", "  stele replica repair events --prefix 2026-01"})
  static final class Repair extends ConnectedCommand {
    @Parameters(paramLabel = "TABLE", description = "The table.")
    private String table = "";

    @Mixin private RangeOptions range = new RangeOptions();

    private RowRange rows = RowRange.ALL;

    @Override
    protected void prepare() {
      rows = range.rows();
    }

    @Override
    protected int run(Connection connection) {
      long cells = connection.replicas().repair(table, rows);
      print(
          () -> Map.of("table", table, "cells", cells),
          () ->
              cells == 0
                  ? "nothing was missing\n"
                  : "%s missing on some replica: sent\n".formatted(Count.of(cells, "cell")));
      return ExitCode.OK;
    }
  }

  @Command(
      name = "remove",
      description = {
        "Take a server that is lost for good out of all partitions of a table, and print what may"
            + " be lost with it.",
        "",
        "Dead servers are replaced by themselves as long as a majority of a partition's members is"
            + " live. If it is not, reads and writes with `majority` fail until enough servers come"
            + " back, or until those that never will are removed by this command. What only removed"
            + " servers had acknowledged is lost then; if one comes back after all, it sends what"
            + " it has to the others."
      },
      footer = {"  stele replica remove events 9a03d2b1c4e5f607 --force"})
  static final class Remove extends ConnectedCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table.")
    private String table = "";

    @Parameters(
        index = "1",
        paramLabel = "SERVER",
        description = "Its id, as `stele replica status` prints it.")
    private String server = "";

    @Option(names = "--force", description = "Required: acknowledged writes may be lost.")
    private boolean force;

    @Override
    protected void prepare() {
      if (!force) {
        throw new InvalidRequestException(
            "server '%s' would be taken out of table '%s' for good, and acknowledged writes may be"
                    .formatted(server, table)
                + " lost: say --force if it will never come back");
      }
    }

    @Override
    protected int run(Connection connection) {
      List<String> lines = connection.replicas().removeServer(table, server);
      print(
          () -> Map.of("table", table, "server", server, "lines", lines),
          () -> lines.stream().collect(Collectors.joining("\n", "", "\n")));
      return ExitCode.OK;
    }
  }

  @Command(
      name = "verify",
      description = {
        "Compare the replicas of a table by hashes of ranges, and print the rows that differ.",
        "",
        "Ends with 1 if there are some. What was just written may not have come to all yet: such"
            + " rows are looked at twice."
      },
      footer = {"  stele replica verify events", "  stele replica verify events --from a --to b"})
  static final class Verify extends ConnectedCommand {
    @Parameters(paramLabel = "TABLE", description = "The table.")
    private String table = "";

    @Mixin private RangeOptions range = new RangeOptions();

    private RowRange rows = RowRange.ALL;

    @Override
    protected void prepare() {
      rows = range.rows();
    }

    @Override
    protected int run(Connection connection) {
      List<Difference> found = connection.replicas().verify(table, rows);
      print(
          () -> found.stream().map(StatusText::json).toList(),
          () ->
              found.isEmpty()
                  ? "all replicas are the same\n"
                  : found.stream().map(StatusText::text).collect(Collectors.joining()));
      return found.isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
    }
  }
}
