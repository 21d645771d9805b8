package io.stele.testkit.golden;

import java.util.ArrayList;
import java.util.List;

/** The text of one golden file, cut into what stands between the blocks and the blocks. */
final class GoldenText {
  private static final String MARK = "----";

  /** A block, and the comments and empty lines before it, which a rewrite keeps. */
  private record Part(String before, String head, GoldenBlock block) {}

  private final List<Part> parts;
  private final String behind;

  private GoldenText(List<Part> parts, String behind) {
    this.parts = parts;
    this.behind = behind;
  }

  List<GoldenBlock> blocks() {
    return parts.stream().map(Part::block).toList();
  }

  /** The file with the given outputs, one per block, in place of the expected ones. */
  String with(List<String> outputs) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) {
      text.append(parts.get(i).before).append(parts.get(i).head);
      appendOutput(text, outputs.get(i));
    }
    return text.append(behind).toString();
  }

  private static void appendOutput(StringBuilder text, String output) {
    boolean doubled = output.lines().anyMatch(line -> line.isEmpty() || line.equals(MARK));
    if (doubled) {
      text.append(MARK + "\n" + MARK + "\n").append(output).append(MARK + "\n" + MARK + "\n");
    } else {
      text.append(MARK + "\n").append(output);
    }
  }

  static GoldenText parse(String name, String text) {
    return new Parser(name, text).parse();
  }

  private static final class Parser {
    private final String name;
    private final List<String> lines;
    private int at;

    Parser(String name, String text) {
      this.name = name;
      this.lines = text.lines().toList();
    }

    GoldenText parse() {
      List<Part> parts = new ArrayList<>();
      StringBuilder before = new StringBuilder();
      while (at < lines.size()) {
        String line = lines.get(at);
        if (line.isBlank() || line.startsWith("#")) {
          before.append(line).append('\n');
          at++;
        } else {
          parts.add(parseBlock(before.toString()));
          before.setLength(0);
        }
      }
      return new GoldenText(parts, before.toString());
    }

    private Part parseBlock(String before) {
      int commandLine = at + 1;
      String command = lines.get(at++);
      StringBuilder input = new StringBuilder();
      while (at < lines.size() && !lines.get(at).equals(MARK)) {
        input.append(lines.get(at++)).append('\n');
      }
      if (at == lines.size()) {
        throw new IllegalArgumentException(
            name + ":" + commandLine + ": block \"" + command + "\" has no line " + MARK);
      }
      at++;
      boolean doubled = at < lines.size() && lines.get(at).equals(MARK);
      String expected = doubled ? doubledOutput(commandLine) : plainOutput();
      List<String> words = List.of(command.trim().split("\\s+"));
      GoldenBlock block =
          new GoldenBlock(
              commandLine,
              words.getFirst(),
              words.subList(1, words.size()),
              input.toString(),
              expected);
      return new Part(before, command + "\n" + input, block);
    }

    private String plainOutput() {
      StringBuilder output = new StringBuilder();
      while (at < lines.size() && !lines.get(at).isEmpty()) {
        output.append(lines.get(at++)).append('\n');
      }
      return output.toString();
    }

    private String doubledOutput(int commandLine) {
      at++;
      StringBuilder output = new StringBuilder();
      while (at + 1 < lines.size()) {
        if (lines.get(at).equals(MARK) && lines.get(at + 1).equals(MARK)) {
          at += 2;
          return output.toString();
        }
        output.append(lines.get(at++)).append('\n');
      }
      throw new IllegalArgumentException(
          name + ":" + commandLine + ": output opened by two lines " + MARK + " is not closed");
    }
  }
}
