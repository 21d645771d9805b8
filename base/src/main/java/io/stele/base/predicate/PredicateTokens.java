package io.stele.base.predicate;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** The words of a predicate's text, one at a time, each with its place for error messages. */
final class PredicateTokens {
  private static final String OPERATOR_CHARACTERS = "<>=~!";
  private static final int SHOWN = 60; // characters on each side of a mistake

  /** A word and the offset at which it begins. */
  sealed interface Token {
    int at();

    /** A bare word: a field, {@code and}, {@code or}, {@code history}, or a number. */
    record Word(int at, String text) implements Token {}

    record Operator(int at, String text) implements Token {}

    record Time(int at, long micros) implements Token {}

    /**
     * A text in quotes.
     *
     * @param colon where its first colon that was not escaped is among the bytes; -1 for none
     */
    record Text(int at, Bytes bytes, int colon) implements Token {}

    record End(int at) implements Token {}
  }

  private final String text;
  private int at;
  private Token next;

  PredicateTokens(String text) {
    this.text = text;
    this.next = new Token.End(0);
    advance();
  }

  /** The word that comes next, without taking it. */
  Token peek() {
    return next;
  }

  Token take() {
    Token taken = next;
    advance();
    return taken;
  }

  private void advance() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    next = at == text.length() ? new Token.End(at) : read(text.charAt(at));
  }

  private Token read(char first) {
    if (first == '\'' || first == '"') {
      return quoted(first);
    }
    int start = at;
    if (OPERATOR_CHARACTERS.indexOf(first) >= 0) {
      while (at < text.length() && OPERATOR_CHARACTERS.indexOf(text.charAt(at)) >= 0) {
        at++;
      }
      return new Token.Operator(start, text.substring(start, at));
    }
    while (at < text.length() && isWordPart(text.charAt(at))) {
      at++;
    }
    if (at == start) {
      throw wrong(
          start,
          "unexpected character '"
              + text.substring(start, text.offsetByCodePoints(start, 1))
              + "'");
    }
    String word = text.substring(start, at);
    return isTime(word) ? new Token.Time(start, time(start, word)) : new Token.Word(start, word);
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || "_-+.:@".indexOf(c) >= 0;
  }

  /** Numbers alone have no dash behind their first character. */
  private static boolean isTime(String word) {
    return word.startsWith("@")
        || (Character.isDigit(word.charAt(0)) && (word.indexOf('-') > 0 || word.indexOf(':') > 0));
  }

  private long time(int start, String word) {
    try {
      return TimeText.parse(word);
    } catch (InvalidRequestException e) {
      throw wrong(start, String.valueOf(e.getMessage()));
    }
  }

  private Token quoted(char quote) {
    int start = at;
    int colon = -1;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    at++;
    while (at < text.length() && text.charAt(at) != quote) {
      int c = text.codePointAt(at);
      if (c == '\\') {
        bytes.write(escaped());
      } else {
        colon = c == ':' && colon < 0 ? bytes.size() : colon;
        bytes.writeBytes(utf8(c));
        at += Character.charCount(c);
      }
    }
    if (at == text.length()) {
      throw wrong(start, "this quote is not closed");
    }
    at++;
    return new Token.Text(start, Bytes.wrap(bytes.toByteArray()), colon);
  }

  private byte[] utf8(int c) {
    if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
      throw wrong(at, "half a character, which has no UTF-8");
    }
    return Character.toString(c).getBytes(StandardCharsets.UTF_8);
  }

  private int escaped() {
    char kind = at + 1 < text.length() ? text.charAt(at + 1) : 0;
    int value =
        switch (kind) {
          case 'n' -> '\n';
          case 't' -> '\t';
          case 'r' -> '\r';
          case '\\', '\'', '"' -> kind;
          case 'x' -> hex();
          default ->
              throw wrong(at, "unknown escape: there are \\n \\t \\r \\\\ \\' \\\" and \\xHH");
        };
    at += kind == 'x' ? 4 : 2;
    return value;
  }

  private int hex() {
    int high = at + 2 < text.length() ? hexDigit(text.charAt(at + 2)) : -1;
    int low = at + 3 < text.length() ? hexDigit(text.charAt(at + 3)) : -1;
    if (high < 0 || low < 0) {
      throw wrong(at, "\\x must be followed by two hexadecimal digits");
    }
    return high << 4 | low;
  }

  private static int hexDigit(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1;
  }

  /** As it was written, for messages. */
  String shown(Token token) {
    return switch (token) {
      case Token.End _ -> "the end";
      case Token.Word word -> "'" + word.text() + "'";
      case Token.Operator operator -> "'" + operator.text() + "'";
      case Token.Time time -> "the time " + TimeText.print(time.micros());
      case Token.Text _ -> "a text in quotes";
    };
  }

  /** The mistake, the text on a line of its own, and a mark below the character. */
  InvalidRequestException wrong(int offset, String what) {
    int from = Math.max(0, offset - SHOWN);
    int to = Math.min(text.length(), offset + SHOWN);
    String before = (from > 0 ? "..." : "") + onOneLine(text.substring(from, offset));
    String behind = onOneLine(text.substring(offset, to)) + (to < text.length() ? "..." : "");
    String blanks = " ".repeat(before.codePointCount(0, before.length()));
    return new InvalidRequestException(
        "predicate, character %d: %s\n  %s%s\n  %s^"
            .formatted(
                text.codePointCount(0, offset) + 1, what, before, behind.stripTrailing(), blanks));
  }

  private static String onOneLine(String text) {
    StringBuilder line = new StringBuilder(text);
    for (int i = 0; i < line.length(); i++) {
      if (Character.isISOControl(line.charAt(i))) {
        line.setCharAt(i, ' ');
      }
    }
    return line.toString();
  }
}
