package io.stele.cli.table;

import io.stele.cli.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stele table}: tables as a whole, a subcommand for each operation. */
@Command(
    name = "table",
    description = {
      "Make, change and look after tables.",
      "",
      "Rows are read and written by `stele put`, `get`, `scan`, `delete`, `increment` and `append`,"
          + " and many at a time by `stele load` and `stele export`."
    },
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stele table create users --family name,photo",
      "  stele table describe users",
      "  stele table alter users --with default.compression=zstd"
    },
    subcommands = {
      CreateCommand.class,
      ListCommand.class,
      DescribeCommand.class,
      AlterCommand.class,
      CopyCommand.class,
      DropCommand.class,
      TruncateCommand.class,
      SplitCommand.class,
      JoinCommand.class,
      FlushCommand.class,
      CompactCommand.class,
      ServingCommand.Serve.class,
      ServingCommand.Unload.class
    })
public final class TableCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Without a subcommand there is nothing to do: says what there would be. */
  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }
}
