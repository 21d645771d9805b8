package io.stele.cli.shell;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * What a shell knows between two commands: the table in use, and whether it is to end. Commands run
 * on the command line that it is given; {@code use}, {@code help} and {@code exit} are its own.
 */
final class ShellSession {
  static final List<String> OWN_COMMANDS = List.of("use", "help", "exit", "quit");

  private static final String TABLE = "TABLE";

  private final CommandLine commands;
  private final UnaryOperator<CommandLine> fresh;
  private final Connection connection;
  private @Nullable String table;
  private boolean ended;

  /**
   * @param commands all that there are, to look things up
   * @param fresh makes another instance of a command, below a root of its own: what one run leaves
   *     in a command's fields must not reach the next
   */
  ShellSession(CommandLine commands, UnaryOperator<CommandLine> fresh, Connection connection) {
    this.commands = commands;
    this.fresh = fresh;
    this.connection = connection;
  }

  CommandLine commands() {
    return commands;
  }

  Connection connection() {
    return connection;
  }

  Optional<String> table() {
    return Optional.ofNullable(table);
  }

  boolean ended() {
    return ended;
  }

  String prompt() {
    return table == null ? "stele> " : "stele:" + table + "> ";
  }

  /** Runs one command, reports what is wrong with it, and answers its exit code. */
  int run(List<String> words) {
    if (words.isEmpty()) {
      return ExitCode.OK;
    }
    List<String> arguments = words.subList(1, words.size());
    try {
      return switch (words.getFirst()) {
        case "use" -> use(arguments);
        case "help" -> help(arguments);
        case "exit", "quit" -> end(words.getFirst(), arguments);
        default -> execute(withTable(words));
      };
    } catch (SteleException e) {
      PrintWriter err = commands.getErr();
      err.println(words.getFirst() + ": " + e.getMessage());
      err.flush();
      return ExitCode.of(e);
    }
  }

  private int execute(List<String> words) {
    CommandLine command = commands.getSubcommands().get(words.getFirst());
    CommandLine root = command == null ? commands : fresh.apply(command);
    return root.execute(words.toArray(String[]::new));
  }

  private int use(List<String> arguments) {
    if (arguments.size() > 1) {
      throw new InvalidRequestException(
          "%d words, expected: use TABLE, or use alone to use none"
              .formatted(arguments.size() + 1));
    }
    if (arguments.isEmpty()) {
      table = null;
    } else {
      connection.tables().schema(arguments.getFirst()); // which it must have, to be used
      table = arguments.getFirst();
    }
    return ExitCode.OK;
  }

  private int help(List<String> arguments) {
    if (!arguments.isEmpty()) {
      List<String> words = new ArrayList<>(List.of("help"));
      words.addAll(arguments);
      return commands.execute(words.toArray(String[]::new));
    }
    PrintWriter out = commands.getOut();
    out.print(
        """
        Commands are those of `stele`, without that word: scan users --limit 10

        """);
    commands
        .getSubcommands()
        .forEach(
            (name, command) -> {
              if (!OWN_COMMANDS.contains(name)) {
                out.printf("  %-10s %s%n", name, summary(command));
              }
            });
    out.print(
        """

          use TABLE  Leave out the table in the commands that follow; use alone ends that.
          help WORDS Print the help of a command, such as: help table create
          exit       End the shell; so does the end of the input.

        Words with blanks stand in 'quotes' or "quotes". A backslash at the end of a line, or an
        open quote, is continued on the next line. # begins a comment.
        """);
    out.flush();
    return ExitCode.OK;
  }

  private static String summary(CommandLine command) {
    String[] description = command.getCommandSpec().usageMessage().description();
    return description.length == 0 ? "" : description[0];
  }

  private int end(String word, List<String> arguments) {
    if (!arguments.isEmpty()) {
      throw new InvalidRequestException("words behind it, expected: " + word);
    }
    ended = true;
    return ExitCode.OK;
  }

  /** The table in use is put where the command expects one. */
  private List<String> withTable(List<String> words) {
    CommandLine command = commands.getSubcommands().get(words.getFirst());
    if (table == null || command == null || !takesTable(command.getCommandSpec())) {
      return words;
    }
    List<String> longer = new ArrayList<>(words);
    longer.add(1, table);
    return longer;
  }

  /** True for the commands about the rows of a table, which begin with it. */
  static boolean takesTable(CommandSpec command) {
    return command.positionalParameters().stream()
        .filter(parameter -> parameter.index().contains(0))
        .anyMatch(ShellSession::isTable);
  }

  private static boolean isTable(PositionalParamSpec parameter) {
    return parameter.paramLabel().equals(TABLE) && parameter.arity().min() > 0;
  }
}
