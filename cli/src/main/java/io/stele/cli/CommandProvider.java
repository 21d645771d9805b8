package io.stele.cli;

import java.util.concurrent.Callable;

/**
 * Adds one subcommand to {@code stele}, or to one of its commands. Modules that stand above the
 * command line name their provider in {@code META-INF/services/io.stele.cli.CommandProvider}, so
 * that this module knows none of them:
 *
 * {@snippet :
 * public final class ServerCommandProvider implements CommandProvider {
 *   @Override
 *   public Callable<Integer> command() {
 *     return new ServerCommand(); // annotated with picocli's @Command(name = "server", …)
 *   }
 * }
 * }
 *
 * <p>A provider is asked on every start, {@code --help} included, unless the command line begins
 * with the {@link #name} of another: {@link #command} must only construct the command, and leave
 * all work to its {@code call}.
 */
public interface CommandProvider {

  /**
   * A new command, annotated with picocli's {@code @Command}; its {@code call} returns one of the
   * {@link ExitCode}s. What it throws is reported as a failure.
   */
  Callable<Integer> command();

  /**
   * The command's name. A command line that begins with it is looked up in this command alone, and
   * starts the faster for it; empty, as it is without, to be asked always.
   */
  default String name() {
    return "";
  }

  /**
   * Whether providers of other modules may name this command as their {@link #parent}. One that
   * takes no more starts without a look into all jars of the class path.
   */
  default boolean takesMore() {
    return false;
  }

  /**
   * The command of another provider that this one is a subcommand of, such as {@code meta}; empty,
   * as it is without, if it is one of {@code stele} itself.
   */
  default String parent() {
    return "";
  }
}
