package io.stele.cli.shell;

import java.util.ArrayList;
import java.util.List;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/** Tells the line editor what {@link ShellWords} make of a line. */
final class ShellParser implements Parser {
  /**
   * The words up to the cursor, the last of which is at it.
   *
   * @param start where that word begins in the line
   */
  private record Words(List<String> words, String line, int cursor, int start)
      implements CompletingParsedLine {
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

    /** Names of commands, options, tables and families need no quotes, but may be begun in one. */
    @Override
    public CharSequence escape(CharSequence candidate, boolean complete) {
      char first = start < line.length() ? line.charAt(start) : ' ';
      boolean quoted = cursor > start && (first == '\'' || first == '"');
      return quoted ? first + candidate.toString() + (complete ? first : "") : candidate;
    }

    @Override
    public int rawWordCursor() {
      return cursor - start;
    }

    @Override
    public int rawWordLength() {
      return cursor - start;
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
    return new Words(List.copyOf(words), line, cursor, before.lastStart());
  }
}
