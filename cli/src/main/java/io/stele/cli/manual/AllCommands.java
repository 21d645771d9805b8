package io.stele.cli.manual;

import io.stele.cli.CommandEnvironment;
import io.stele.cli.CommandProvider;
import io.stele.cli.Main;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** All commands of {@code stele}, where a command line has only the one that it begins with. */
final class AllCommands {
  private AllCommands() {}

  static CommandLine load(CommandSpec asked) {
    return Main.commandLine(
        ServiceLoader.load(CommandProvider.class), CommandEnvironment.of(asked));
  }

  /** The subcommands that help lists, each once, by their names. */
  static List<CommandSpec> subcommands(CommandSpec command) {
    return command.subcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .filter(each -> !each.usageMessage().hidden())
        .distinct()
        .sorted(Comparator.comparing(CommandSpec::name))
        .toList();
  }

  /** The options that help lists and that are not the same for all commands. */
  static List<OptionSpec> options(CommandSpec command) {
    return command.options().stream()
        .filter(each -> !each.hidden() && (!each.inherited() || command.parent() == null))
        .toList();
  }

  /** What a command or an option does, in one sentence. */
  static String summary(String... description) {
    String text = description.length == 0 ? "" : description[0];
    int end = text.indexOf(". ");
    return (end < 0 ? text : text.substring(0, end + 1)).replace("%%", "%");
  }
}
