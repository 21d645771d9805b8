package io.stele.cli.metastore;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The words of one line of a {@link TransactionScript}. Outside quotes a {@code #} at the start of
 * a word begins a comment.
 */
final class ScriptWords {

  /** A word, and whether it was quoted: {@code "then"} is a value, {@code then} is not. */
  record Word(Bytes bytes, boolean quoted) {
    String text() {
      return bytes.toUtf8();
    }
  }

  private final int number;
  private final byte[] line;
  private int at;

  private ScriptWords(int number, String line) {
    this.number = number;
    this.line = line.getBytes(StandardCharsets.UTF_8);
  }

  /** The words of a line, whose number is for errors. */
  static List<Word> of(int number, String line) {
    return new ScriptWords(number, line).words();
  }

  private List<Word> words() {
    List<Word> words = new ArrayList<>();
    while (skipBlanks() && line[at] != '#') {
      words.add(line[at] == '"' ? quoted() : plain());
    }
    return words;
  }

  /** False at the end of the line. */
  private boolean skipBlanks() {
    while (at < line.length && isBlank(line[at])) {
      at++;
    }
    return at < line.length;
  }

  private Word plain() {
    int start = at;
    while (at < line.length && !isBlank(line[at])) {
      if (line[at] == '"') {
        throw wrong("a quote within a word; quote the whole word");
      }
      at++;
    }
    return new Word(Bytes.copyOf(line, start, at - start), false);
  }

  private Word quoted() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    at++;
    while (at < line.length && line[at] != '"') {
      bytes.write(line[at] == '\\' ? escaped() : line[at]);
      at++;
    }
    if (at == line.length) {
      throw wrong("a quote is not closed");
    }
    at++;
    if (at < line.length && !isBlank(line[at])) {
      throw wrong("a quoted word goes on after its quote; put a blank between");
    }
    return new Word(Bytes.wrap(bytes.toByteArray()), true);
  }

  /** Stops at the last character of the escape. */
  private int escaped() {
    at++;
    int kind = at < line.length ? line[at] : -1;
    return switch (kind) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case '"', '\\' -> kind;
      case 'x' -> hex();
      default -> throw wrong("unknown escape; there are \\n \\t \\r \\\" \\\\ and \\xHH");
    };
  }

  private int hex() {
    int high = at + 1 < line.length ? Character.digit(line[at + 1], 16) : -1;
    int low = at + 2 < line.length ? Character.digit(line[at + 2], 16) : -1;
    if (high < 0 || low < 0) {
      throw wrong("\\x must be followed by two hexadecimal digits");
    }
    at += 2;
    return high << 4 | low;
  }

  private static boolean isBlank(byte c) {
    return c == ' ' || c == '\t' || c == '\r';
  }

  private InvalidRequestException wrong(String what) {
    return new InvalidRequestException("line " + number + ": " + what);
  }
}
