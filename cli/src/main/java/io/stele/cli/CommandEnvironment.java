package io.stele.cli;

import io.stele.base.error.InvalidRequestException;
import java.io.Console;
import java.io.InputStream;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What a command finds around it: a process of its own has a terminal or a pipe, a line of the
 * shell has the shell's connection, and a test has whatever it needs.
 *
 * @param input standard input, unless something else reads it
 * @param prompt asks the user
 * @param interactive somebody watches: progress may be drawn over and over
 */
public record CommandEnvironment(
    Connector connector, Optional<InputStream> input, Prompt prompt, boolean interactive) {

  /** Asks the user a question. */
  @FunctionalInterface
  public interface Prompt {
    /** Nobody is there. */
    Prompt NOBODY = _ -> Optional.empty();

    /** The answer, without its line break; nothing if nobody is there to give one. */
    Optional<String> ask(String question);
  }

  /** Of a process of its own. */
  public static CommandEnvironment ofProcess() {
    Optional<Console> console = Optional.ofNullable(System.console()).filter(Console::isTerminal);
    Prompt prompt = question -> console.map(terminal -> terminal.readLine("%s", question));
    return new CommandEnvironment(
        SteleConnector.INSTANCE, Optional.of(System.in), prompt, console.isPresent());
  }

  /**
   * Standard input, for a command that was told to read it.
   *
   * @param what was told to be there, and {@code instead} what to do where it is not
   */
  public InputStream requireInput(String what, String instead) {
    return input.orElseThrow(
        () ->
            new InvalidRequestException(
                what + ": standard input is read as commands here; " + instead));
  }

  /** The environment of the command line that a command belongs to. */
  public static CommandEnvironment of(CommandSpec spec) {
    if (spec.root().userObject() instanceof RootCommand root) {
      return root.environment();
    }
    throw new IllegalStateException(
        "command " + spec.qualifiedName() + " is not below the stele command");
  }
}
