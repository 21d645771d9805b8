package io.stele.cli.manual;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The completion script for fish: a line for each command, under the condition that the words
 * before it are those of its parent, and one for each option.
 */
final class FishCompletion {
  /** Succeeds after exactly these words, options left out; with -p also if more words follow. */
  private static final String CONDITION =
      """
      function __stele_after
          set -l words
          for word in (commandline -opc)[2..]
              string match -q -- '-*' $word; or set -a words $word
          end
          if test "$argv[1]" = -p
              set -e argv[1]
              set words $words[1..(math min (count $words), (count $argv))]
          end
          test "$words" = "$argv"
      end
      complete -c stele -f
      """;

  private final StringBuilder script = new StringBuilder(CONDITION);

  private FishCompletion() {}

  static String of(CommandSpec root) {
    FishCompletion completion = new FishCompletion();
    completion.add(root, List.of());
    return completion.script.toString();
  }

  private void add(CommandSpec command, List<String> words) {
    String path = String.join(" ", words);
    for (CommandSpec subcommand : AllCommands.subcommands(command)) {
      line(
          "__stele_after " + path,
          "-a " + subcommand.name(),
          subcommand.usageMessage().description());
      List<String> longer = new ArrayList<>(words);
      longer.add(subcommand.name());
      add(subcommand, longer);
    }
    for (OptionSpec option : AllCommands.options(command)) {
      line("__stele_after -p " + path, names(option) + argument(option), option.description());
    }
    for (ArgSpec parameter : command.positionalParameters()) {
      if (isFile(parameter)) {
        line("__stele_after -p " + path, "-F", parameter.description());
      }
    }
  }

  private void line(String condition, String what, String... description) {
    script.append(
        "complete -c stele -n '%s' %s -d '%s'\n"
            .formatted(condition.strip(), what, quoted(AllCommands.summary(description))));
  }

  private static String names(OptionSpec option) {
    StringJoiner names = new StringJoiner(" ");
    for (String name : option.names()) {
      names.add(name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1));
    }
    return names.toString();
  }

  private static String argument(OptionSpec option) {
    if (option.arity().max() == 0) {
      return "";
    }
    if (isFile(option)) {
      return " -r -F";
    }
    if (option.type().isEnum()) {
      StringJoiner values = new StringJoiner(" ");
      for (Object value : option.type().getEnumConstants()) {
        values.add(value.toString().toLowerCase(Locale.ROOT));
      }
      return " -x -a '" + values + "'";
    }
    return " -x";
  }

  private static boolean isFile(ArgSpec argument) {
    return argument.type() == Path.class || argument.paramLabel().contains("FILE");
  }

  private static String quoted(String text) {
    return text.replace("\\", "\\\\").replace("'", "\\'");
  }
}
