package io.stele.cli.shell;

import io.stele.base.error.SteleException;
import io.stele.base.schema.GroupSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Completes commands, options, and the names of tables and families. */
final class ShellCompleter implements Completer {
  private final ShellSession session;

  ShellCompleter(ShellSession session) {
    this.session = session;
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    List<String> before = line.words().subList(0, line.wordIndex());
    for (String word : words(before, line.word())) {
      boolean open = word.endsWith(":"); // a family, whose qualifier follows at once
      candidates.add(new Candidate(word, word, null, null, null, null, !open));
    }
  }

  /** What may stand behind the words, where the next begins so. */
  Collection<String> words(List<String> before, String begun) {
    TreeSet<String> words = new TreeSet<>(all(before, begun));
    words.removeIf(word -> !word.startsWith(begun));
    return words;
  }

  private Collection<String> all(List<String> before, String begun) {
    CommandLine command = session.commands();
    int at = 0;
    for (String word : before) {
      CommandLine next = command.getSubcommands().get(word);
      if (next == null) {
        break;
      }
      command = next;
      at++;
    }
    List<String> arguments = before.subList(at, before.size());
    if (at == 0) {
      return first(arguments);
    }
    if (begun.startsWith("-")) {
      return command.getCommandSpec().optionsMap().keySet();
    }
    if (!command.getSubcommands().isEmpty()) {
      return arguments.isEmpty() ? command.getSubcommands().keySet() : List.of();
    }
    return arguments(command.getCommandSpec(), arguments);
  }

  private Collection<String> first(List<String> arguments) {
    if (arguments.isEmpty()) {
      List<String> names = new ArrayList<>(session.commands().getSubcommands().keySet());
      names.addAll(ShellSession.OWN_COMMANDS);
      return names;
    }
    return arguments.equals(List.of("use")) ? tables() : List.of();
  }

  private Collection<String> arguments(CommandSpec command, List<String> arguments) {
    List<String> positions = new ArrayList<>();
    if (ShellSession.takesTable(command)) {
      session.table().ifPresent(positions::add);
    }
    @Nullable OptionSpec open = null;
    for (String argument : arguments) {
      if (open != null) {
        open = null; // its value
      } else if (argument.startsWith("-") && !argument.contains("=")) {
        OptionSpec option = command.findOption(argument);
        open = option != null && option.arity().max() > 0 ? option : null;
      } else if (!argument.startsWith("-")) {
        positions.add(argument);
      }
    }
    return open != null ? List.of() : byPosition(command, positions);
  }

  private Collection<String> byPosition(CommandSpec command, List<String> positions) {
    Optional<String> label =
        command.positionalParameters().stream()
            .filter(parameter -> parameter.index().contains(positions.size()))
            .map(PositionalParamSpec::paramLabel)
            .findFirst();
    if (label.isEmpty()) {
      return List.of();
    }
    boolean ofTables = command.qualifiedName().startsWith("stele table ");
    return switch (label.get()) {
      case "TABLE" -> tables();
      case "NAME" -> ofTables ? tables() : List.of();
      case "FAMILY:QUALIFIER" -> families(positions.getFirst());
      case "FAMILY:QUALIFIER VALUE" ->
          positions.size() % 2 == 0 ? families(positions.getFirst()) : List.of();
      default -> List.of();
    };
  }

  private Collection<String> tables() {
    return known(() -> session.connection().tables().list(false));
  }

  private Collection<String> families(String table) {
    return known(
        () ->
            session.connection().tables().schema(table).groups().stream()
                .map(GroupSchema::families)
                .flatMap(Collection::stream)
                .map(family -> family + ":")
                .toList());
  }

  /** Who cannot be asked now offers nothing; the command itself will say why. */
  private static Collection<String> known(Supplier<Collection<String>> names) {
    try {
      return names.get();
    } catch (SteleException e) {
      return List.of();
    }
  }
}
