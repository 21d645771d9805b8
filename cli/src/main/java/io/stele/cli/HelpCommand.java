package io.stele.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code stele help bench engine}, for those who do not type {@code stele bench engine --help}. */
@Command(name = "help", description = "Print the help of a command.")
final class HelpCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "The command, word by word.")
  private List<String> words = List.of();

  @Override
  public Integer call() {
    CommandLine command = spec.root().commandLine();
    for (String word : words) {
      CommandLine next = command.getSubcommands().get(word);
      if (next == null) {
        throw new UnmatchedArgumentException(command, List.of(word));
      }
      command = next;
    }
    command.usage(spec.commandLine().getOut());
    return ExitCode.OK;
  }
}
