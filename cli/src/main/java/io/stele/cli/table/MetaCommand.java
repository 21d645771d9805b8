package io.stele.cli.table;

import io.stele.base.error.NotFoundException;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.TabletInfo;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.Endpoints;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import io.stele.cli.ValueText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stele meta}: the table in which the tablets of all tables are kept. */
@Command(
    name = "meta",
    description =
        "Look at META, in which the tablets of all tables are kept; verify and repair it.",
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {"  stele meta ls", "  stele meta verify", "  stele meta repair users --dry-run"},
    subcommands = {
      MetaCommand.Ls.class,
      MetaCommand.Verify.class,
      MetaCommand.Repair.class,
      MetaCommand.Locate.class
    })
public final class MetaCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Without a subcommand there is nothing to do: says what there would be. */
  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }

  @Command(
      name = "ls",
      description = "List the tablets of all tables, META's own among them, or those of one.",
      footer = {"  stele meta ls", "  stele meta ls users --output json"})
  static final class Ls extends ConnectedCommand {
    @Parameters(arity = "0..1", paramLabel = "TABLE", description = "The table (default: all).")
    private String table = "";

    @Override
    protected int run(Connection connection) {
      List<TabletInfo> tablets = new ArrayList<>();
      if (table.isEmpty()) {
        connection.tables().list(true).forEach(name -> tablets.addAll(ifThere(connection, name)));
      } else {
        tablets.addAll(connection.tables().tablets(table));
      }
      print(
          () -> tablets.stream().map(TabletText::json).toList(),
          () -> TabletText.tableOfAll(tablets));
      return ExitCode.OK;
    }

    /** None if it was dropped since the names were asked for. */
    private static List<TabletInfo> ifThere(Connection connection, String name) {
      try {
        return connection.tables().tablets(name);
      } catch (NotFoundException e) {
        return List.of();
      }
    }
  }

  @Command(
      name = "verify",
      description = "Look for gaps, overlaps and other damage; ends with 1 if there is some.",
      footer = "  stele meta verify")
  static final class Verify extends ConnectedCommand {
    @Parameters(arity = "0..1", paramLabel = "TABLE", description = "The table (default: all).")
    private String table = "";

    @Override
    protected int run(Connection connection) {
      List<MetaProblem> problems = connection.tables().verifyMeta(table);
      print(
          () -> problems.stream().map(MetaCommand::json).toList(),
          () -> problems.isEmpty() ? "nothing is wrong\n" : text(problems));
      return problems.isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
    }
  }

  @Command(
      name = "repair",
      description = {
        "Repair what a crash in the middle of a split can leave behind: damage that is undone by"
            + " changing one cell.",
        "",
        "Ends with 1 if something is left that people must decide about."
      },
      footer = {"  stele meta repair --dry-run", "  stele meta repair users"})
  static final class Repair extends ConnectedCommand {
    @Parameters(arity = "0..1", paramLabel = "TABLE", description = "The table (default: all).")
    private String table = "";

    @Option(names = "--dry-run", description = "Only say what would be done.")
    private boolean dryRun;

    @Override
    protected int run(Connection connection) {
      List<MetaProblem> problems = connection.tables().repairMeta(table, !dryRun);
      print(
          () -> problems.stream().map(MetaCommand::json).toList(),
          () -> problems.isEmpty() ? "nothing is wrong\n" : text(problems));
      return problems.stream().allMatch(MetaProblem::repaired) ? ExitCode.OK : ExitCode.FAILURE;
    }
  }

  @Command(
      name = "locate",
      description = "Tell the servers where the first table of META is served from now on.",
      footer = "  stele meta locate 10.0.0.7:7835")
  static final class Locate extends ConnectedCommand {
    @Parameters(paramLabel = "HOST:PORT", description = "The server's address.")
    private String address = "";

    @Override
    protected void prepare() {
      Endpoints.check("locate", address);
    }

    @Override
    protected int run(Connection connection) {
      connection.tables().setMetaLocation(address);
      print(() -> Map.of("location", address), () -> "META is looked for at " + address + "\n");
      return ExitCode.OK;
    }
  }

  private static String text(List<MetaProblem> problems) {
    TextTable table = new TextTable("TABLE", "PROBLEM", "AT", "FOUND", "REPAIR");
    for (MetaProblem problem : problems) {
      table.row(
          problem.table(),
          name(problem),
          CellText.show(problem.row()),
          problem.explanation(),
          repair(problem));
    }
    return table.toString();
  }

  private static String name(MetaProblem problem) {
    return problem.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String repair(MetaProblem problem) {
    if (problem.repair().isEmpty()) {
      return "none: you decide";
    }
    return problem.repaired() ? "done: " + problem.repair() : problem.repair();
  }

  private static Map<String, Object> json(MetaProblem problem) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("kind", problem.kind().name());
    object.put("table", problem.table());
    ValueText.putJson(object, "row", problem.row());
    object.put("explanation", problem.explanation());
    object.put("repair", problem.repair());
    object.put("repaired", problem.repaired());
    return object;
  }
}
