package io.stele.cli.shell;

import java.util.ArrayList;
import java.util.List;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/** Tells the line editor what {@link ShellWords} make of a line. */
final class ShellParser implements Parser {
  /** The words up to the cursor, the last of which is at it. */
  private record Words(List<String> words, String line, int cursor) implements ParsedLine {
    @Override
    public String word() {
      return words.getLast();
    }

    @Override
    public int wordCursor() {
      return words.getLast().length();
    }

    @Override
    public int wordIndex() {
      return words.size() - 1;
    }
  }

  @Override
  public ParsedLine parse(String line, int cursor, ParseContext context) {
    if (context == ParseContext.ACCEPT_LINE && !ShellWords.of(line).complete()) {
      throw new EOFError(-1, cursor, "another line belongs to it");
    }
    ShellWords before = ShellWords.of(line.substring(0, cursor));
    List<String> words = new ArrayList<>(before.words());
    if (before.behindBlank()) {
      words.add("");
    }
    return new Words(List.copyOf(words), line, cursor);
  }
}
