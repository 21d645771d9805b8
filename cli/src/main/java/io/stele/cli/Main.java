package io.stele.cli;

import io.stele.base.text.NearestName;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The main class behind the {@code stele} launcher. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    CommandEnvironment environment = CommandEnvironment.ofProcess();
    PrintWriter out = StandardOutput.replaceSystemOut(environment.interactive());
    System.exit(run(commandLine(wanted(args), environment).setOut(out), args));
  }

  /** Runs a command whose output may lose its reader, which is no failure to be reported. */
  static int run(CommandLine commandLine, String... args) {
    try {
      int exitCode = commandLine.execute(args);
      commandLine.getOut().flush();
      return exitCode;
    } catch (StandardOutput.Gone e) { // while help was printed
      return ExitCode.OUTPUT_GONE;
    }
  }

  /** Runs a command within this process and answers its exit code, one of {@link ExitCode}. */
  public static int run(PrintWriter out, PrintWriter err, String... args) {
    return commandLine(wanted(args)).setOut(out).setErr(err).execute(args);
  }

  private static Iterable<CommandProvider> wanted(String... args) {
    return wanted(ServiceLoader.load(CommandProvider.class), args);
  }

  /**
   * The provider whose command the words begin with, and those of its subcommands; all, where none
   * says so.
   */
  static Iterable<CommandProvider> wanted(Iterable<CommandProvider> providers, String... args) {
    String first = args.length == 0 ? "" : args[0];
    List<CommandProvider> wanted = new ArrayList<>();
    boolean found = false;
    for (CommandProvider provider : providers) {
      boolean named = provider.parent().isEmpty() && first.equals(provider.name());
      if (named && !provider.takesMore() && !first.isEmpty()) {
        return List.of(provider);
      }
      found |= named;
      if (named || first.equals(provider.parent())) {
        wanted.add(provider);
      }
    }
    return found && !first.isEmpty() ? wanted : providers;
  }

  /** The whole command line: the root, this module's commands, and those of the providers. */
  static CommandLine commandLine(Iterable<CommandProvider> providers) {
    return commandLine(providers, CommandEnvironment.ofProcess());
  }

  /** The same, for commands that find other things around them than those of a process. */
  public static CommandLine commandLine(
      Iterable<CommandProvider> providers, CommandEnvironment environment) {
    RootCommand root = new RootCommand(environment);
    CommandLine commandLine = new CommandLine(root);
    commandLine.setExpandAtFiles(false); // an argument may start with @
    for (CommandProvider provider : providers) {
      if (provider.parent().isEmpty()) {
        commandLine.addSubcommand(provider.command());
      }
    }
    for (CommandProvider provider : providers) {
      CommandLine parent = commandLine.getSubcommands().get(provider.parent());
      if (parent != null) {
        parent.addSubcommand(provider.command());
      }
    }
    commandLine.addSubcommand(new VersionCommand());
    commandLine.addSubcommand(new HelpCommand());
    commandLine.setParameterExceptionHandler((mistake, _) -> explain(mistake));
    commandLine.setExecutionExceptionHandler(
        (failure, command, _) -> report(failure, command, root.wantsStackTrace()));
    return commandLine;
  }

  /** A command that was not understood: what is wrong, the nearest right thing, where to look. */
  private static int explain(ParameterException mistake) {
    CommandLine command = mistake.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    PrintWriter err = command.getErr();
    err.println(name + ": " + describe(mistake));
    err.println("`" + name + " --help` lists what it takes.");
    err.flush();
    return ExitCode.USAGE;
  }

  private static String describe(ParameterException mistake) {
    if (!(mistake instanceof UnmatchedArgumentException unmatched)
        || unmatched.getUnmatched().isEmpty()) {
      return message(mistake);
    }
    CommandSpec command = mistake.getCommandLine().getCommandSpec();
    String argument = unmatched.getUnmatched().getFirst();
    if (unmatched.isUnknownOption()) {
      return unknown("option", argument, command.optionsMap().keySet());
    }
    Set<String> subcommands = command.subcommands().keySet();
    return unknown(subcommands.isEmpty() ? "argument" : "command", argument, subcommands);
  }

  private static String unknown(String kind, String argument, Set<String> known) {
    return "unknown %s '%s'%s"
        .formatted(
            kind,
            argument,
            NearestName.of(argument, known).map("; did you mean '%s'?"::formatted).orElse(""));
  }

  private static int report(Exception failure, CommandLine command, boolean stackTrace) {
    if (failure instanceof StandardOutput.Gone) {
      return ExitCode.OUTPUT_GONE;
    }
    PrintWriter err = command.getErr();
    err.println(command.getCommandSpec().qualifiedName() + ": " + message(failure));
    if (stackTrace) {
      failure.printStackTrace(err);
    }
    err.flush();
    return ExitCode.of(failure);
  }

  private static String message(Exception exception) {
    return Objects.requireNonNullElse(exception.getMessage(), exception.getClass().getName());
  }
}
