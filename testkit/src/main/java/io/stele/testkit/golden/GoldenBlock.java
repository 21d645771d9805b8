package io.stele.testkit.golden;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * One case of a golden file: a command with its arguments, an input, and the output that is
 * expected of it. The grammar stands in {@link GoldenFiles}.
 *
 * @param line of the command in the file, from 1
 * @param command the first word
 * @param arguments the words behind it, in order
 * @param input each line with its line end; empty if there is none
 * @param expected likewise
 */
public record GoldenBlock(
    int line, String command, List<String> arguments, String input, String expected) {
  public GoldenBlock {
    arguments = List.copyOf(arguments);
  }

  public List<String> inputLines() {
    return input.lines().toList();
  }

  /** True if the word is among the arguments. */
  public boolean has(String word) {
    return arguments.contains(word);
  }

  /** The value of an argument {@code name=value}. */
  public Optional<String> value(String name) {
    return Optional.ofNullable(values().get(name));
  }

  /** The arguments of the form {@code name=value}; of two with one name the last counts. */
  public Map<String, String> values() {
    Map<String, String> values = new LinkedHashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (equals > 0) {
        values.put(argument.substring(0, equals), argument.substring(equals + 1));
      }
    }
    return values;
  }

  /** The error for a command that the test does not know. */
  public IllegalArgumentException unknown(String... known) {
    return new IllegalArgumentException(
        "command \""
            + command
            + "\" in line "
            + line
            + ": known are "
            + String.join(", ", new TreeSet<>(List.of(known))));
  }
}
