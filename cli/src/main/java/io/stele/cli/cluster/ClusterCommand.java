package io.stele.cli.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.Cluster;
import io.stele.base.table.Cluster.Move;
import io.stele.base.table.StoredFiles.Garbage;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.Endpoints;
import io.stele.cli.ExitCode;
import io.stele.cli.table.CellText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stele cluster}: the servers that serve tables together. */
@Command(
    name = "cluster",
    description = "Look after the servers that serve tables together; run some to try it out.",
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stele cluster up --nodes 3 --data /tmp/try",
      "  stele cluster status",
      "  stele cluster drain 10.0.0.7:7835 --wait"
    },
    subcommands = {
      ClusterUpCommand.class,
      ClusterCommand.Status.class,
      ClusterCommand.Balance.class,
      ClusterCommand.Drain.class,
      ClusterCommand.MoveTablet.class,
      ClusterCommand.Gc.class,
      TrashCommand.class,
      CertsCommand.class
    })
final class ClusterCommand implements Callable<Integer> {
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
        "Show the master, the servers and what each has.",
        "",
        "Servers that once took part and do not now are listed as down, even if they have left for"
            + " good.",
        "",
        "Ends with 1 if a tablet is not served or a server does not answer."
      },
      footer = {"  stele cluster status", "  stele cluster status --output json"})
  static final class Status extends ConnectedCommand {
    @Override
    protected int run(Connection connection) {
      Cluster.Status status = connection.cluster().status();
      print(() -> ClusterText.json(status), () -> ClusterText.text(status));
      boolean well =
          status.unserved().isEmpty()
              && status.servers().stream().allMatch(server -> server.problem().isEmpty());
      return well ? ExitCode.OK : ExitCode.FAILURE;
    }
  }

  @Command(
      name = "balance",
      description = "Even out what servers have, by moving as few tablets as that takes.",
      footer = {"  stele cluster balance --dry-run", "  stele cluster balance"})
  static final class Balance extends ConnectedCommand {
    @Option(names = "--dry-run", description = "Only say which tablets would be moved.")
    private boolean dryRun;

    @Override
    protected int run(Connection connection) {
      List<Move> moves = connection.cluster().balance(!dryRun);
      print(
          () -> moves.stream().map(ClusterText::json).toList(),
          () -> moves.isEmpty() ? "nothing to move\n" : ClusterText.text(moves));
      return ExitCode.OK;
    }
  }

  @Command(
      name = "drain",
      description = {
        "Take all tablets from a server, and give it none until that is undone.",
        "",
        "With --wait it ends when the last tablet has left and is served elsewhere, with 6 if the"
            + " --timeout is over before."
      },
      footer = {
        "  stele cluster drain 10.0.0.7:7835 --wait --timeout 5m",
        "  stele cluster drain 10.0.0.7:7835 --undo"
      })
  static final class Drain extends ConnectedCommand {
    private static final Duration PAUSE = Duration.ofMillis(200);

    @Parameters(paramLabel = "HOST:PORT", description = "The server, as `status` lists it.")
    private String address = "";

    @Option(names = "--undo", description = "Give it tablets again.")
    private boolean undo;

    @Option(names = "--wait", description = "Wait until it has no tablets left.")
    private boolean await;

    @Override
    protected void prepare() {
      Endpoints.check("drain", address);
    }

    @Override
    protected int run(Connection connection) throws InterruptedException {
      boolean waits = await && !undo;
      Set<String> unservedBefore = waits ? unserved(connection) : Set.of();
      int left = connection.cluster().drain(address, !undo);
      boolean done = !waits || isServedElsewhere(connection, left, unservedBefore);
      long deadline = System.nanoTime() + timeout().toNanos();
      while (!done && System.nanoTime() - deadline < 0) {
        Thread.sleep(PAUSE);
        left = connection.cluster().drain(address, true);
        done = isServedElsewhere(connection, left, unservedBefore);
      }
      int remaining = left;
      boolean finished = done;
      print(
          () -> Map.of("server", address, "draining", !undo, "left", remaining),
          () -> text(remaining, finished));
      return finished ? ExitCode.OK : ExitCode.UNAVAILABLE;
    }

    /** A tablet that has left has no server until another has loaded it. */
    private static boolean isServedElsewhere(
        Connection connection, int left, Set<String> unservedBefore) {
      return left == 0 && unservedBefore.containsAll(unserved(connection));
    }

    /** The names of tablets, without the reasons, which change with every attempt. */
    private static Set<String> unserved(Connection connection) {
      return connection.cluster().status().unserved().stream()
          .map(text -> text.split(": ", 2)[0])
          .collect(Collectors.toSet());
    }

    private String text(int left, boolean done) {
      if (undo) {
        return "%s gets tablets again\n".formatted(address);
      }
      if (left == 0 && !done) {
        return "%s has no tablets, and some are not served elsewhere yet\n".formatted(address);
      }
      return left == 0
          ? "%s has no tablets, and gets none\n".formatted(address)
          : "%s gets no more tablets; %d have yet to leave\n".formatted(address, left);
    }
  }

  @Command(
      name = "move",
      description = "Move the tablet that holds a row to a server; ends when it is served there.",
      footer = "  stele cluster move users 42 10.0.0.7:7835")
  static final class MoveTablet extends ConnectedCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table's name.")
    private String table = "";

    @Parameters(index = "1", paramLabel = "ROW", description = "A row, which need not exist.")
    private String row = "";

    @Parameters(index = "2", paramLabel = "HOST:PORT", description = "The server to move it to.")
    private String address = "";

    @Override
    protected void prepare() {
      Endpoints.check("move", address);
    }

    @Override
    protected int run(Connection connection) {
      Bytes at = CellText.row(row);
      Move move = connection.cluster().move(table, at, address);
      print(() -> ClusterText.json(move), () -> ClusterText.text(List.of(move)));
      return ExitCode.OK;
    }
  }

  @Command(
      name = "gc",
      description = {
        "Move files that nothing needs to the trash. This also happens by itself now and then.",
        "",
        "Ends with 6 if no file may be moved at the moment, and says why. A file stays in the trash"
            + " for tables.trash."
      },
      footer = {"  stele cluster gc --dry-run", "  stele cluster gc"})
  static final class Gc extends ConnectedCommand {
    @Option(names = "--dry-run", description = "Only list what would be moved.")
    private boolean dryRun;

    @Override
    protected int run(Connection connection) {
      Garbage garbage = connection.cluster().collectFiles(!dryRun);
      print(() -> ClusterText.json(garbage, dryRun), () -> ClusterText.text(garbage, dryRun));
      return garbage.blocked().isEmpty() ? ExitCode.OK : ExitCode.UNAVAILABLE;
    }
  }
}
