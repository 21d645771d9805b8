package io.stele.cli.shell;

import java.util.ArrayList;
import java.util.List;

/**
 * The words of a command. Blanks part them; within {@code '…'} everything is as it is, and within
 * {@code "…"} everything but {@code \"}. Other backslashes are left for the commands, in whose rows
 * and values they are escapes. A {@code #} at the start of a word begins a comment. A backslash at
 * the end of a line, or a quote that is open there, is continued on the next.
 *
 * @param words of the whole text; where it is not complete, the last may be half a word
 * @param complete false if another line belongs to it
 * @param behindBlank nothing of the next word has begun
 * @param lastStart where the last word, or the one that would follow, begins in the text
 */
record ShellWords(List<String> words, boolean complete, boolean behindBlank, int lastStart) {
  ShellWords {
    words = List.copyOf(words);
  }

  static ShellWords of(String text) {
    return new Splitter(text).split();
  }

  private static final class Splitter {
    private final String text;
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;
    private int at;
    private int start;

    Splitter(String text) {
      this.text = text;
    }

    ShellWords split() {
      while (at < text.length()) {
        char c = text.charAt(at);
        boolean comment = c == '#' && !inWord;
        if (Character.isWhitespace(c) || comment) {
          finish();
          int lineEnd = text.indexOf('\n', at);
          at = !comment ? at + 1 : lineEnd < 0 ? text.length() : lineEnd;
        } else if (c == '\'' || c == '"') {
          if (!quoted(c)) {
            return result(false);
          }
        } else if (c == '\\' && isLineEnd(at + 1)) {
          if (at + 1 == text.length()) {
            return result(false);
          }
          at += 2;
        } else {
          begin();
          take(c == '\\' ? 2 : 1);
        }
      }
      return result(true);
    }

    private ShellWords result(boolean complete) {
      boolean behindBlank = !inWord;
      finish();
      return new ShellWords(words, complete, behindBlank, behindBlank ? text.length() : start);
    }

    private void begin() {
      start = inWord ? start : at;
      inWord = true;
    }

    private boolean isLineEnd(int index) {
      return index == text.length() || text.charAt(index) == '\n';
    }

    /** False if the quote is not closed. */
    private boolean quoted(char quote) {
      begin();
      at++;
      while (at < text.length() && text.charAt(at) != quote) {
        boolean escape = quote == '"' && text.charAt(at) == '\\';
        if (escape && text.startsWith("\\\"", at)) {
          at++;
          take(1);
        } else {
          take(escape ? 2 : 1);
        }
      }
      return at++ < text.length();
    }

    private void take(int characters) {
      int end = Math.min(text.length(), at + characters);
      word.append(text, at, end);
      at = end;
    }

    private void finish() {
      if (inWord) {
        words.add(word.toString());
      }
      word.setLength(0);
      inWord = false;
    }
  }
}
