package io.stele.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code stele} itself, and the options that every subcommand inherits. */
@SuppressWarnings("UnusedVariable") // picocli itself acts on the options for help and version.
@Command(
    name = "stele",
    versionProvider = VersionCommand.Provider.class,
    description = "A durable, distributed table store in one program.",
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      ExitCode.OK + ":The command did what it was asked to.",
      ExitCode.FAILURE + ":The command was understood and failed.",
      ExitCode.USAGE + ":The command was not understood, and nothing was done.",
      ExitCode.NOT_FOUND + ":What it was about does not exist.",
      ExitCode.CONFLICT + ":A condition did not hold, or somebody else was first.",
      ExitCode.DENIED + ":You have no right to it.",
      ExitCode.UNAVAILABLE + ":No server could be reached, or none can answer now.",
      ExitCode.OUTCOME_UNKNOWN + ":It may or may not have been done: look before you repeat it.",
      ExitCode.OUTPUT_GONE + ":Whatever read the output ended first."
    },
    footerHeading = "%n",
    footer = "`stele COMMAND --help` tells more about a command.")
final class RootCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Print this help.")
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Print the version of Stele.")
  private boolean version;

  @Option(
      names = "--stack-trace",
      scope = ScopeType.INHERIT,
      description = "Print where in the program a failure came from.")
  private boolean stackTrace;

  private final CommandEnvironment environment;

  RootCommand(CommandEnvironment environment) {
    this.environment = environment;
  }

  /** Without a subcommand there is nothing to do: says what there would be. */
  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }

  CommandEnvironment environment() {
    return environment;
  }

  boolean wantsStackTrace() {
    return stackTrace;
  }
}
