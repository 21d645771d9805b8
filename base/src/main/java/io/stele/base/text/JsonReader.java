package io.stele.base.text;

import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON text into maps (in their order), lists, strings, booleans, null and {@link
 * LiteralNumber}s, which {@link Json} writes as they were. Mistakes are named with their character.
 */
public final class JsonReader {
  private static final int DEEPEST = 200; // each level costs a call

  /** A number as it is written, which no conversion changes. */
  public static final class LiteralNumber extends Number {
    private static final long serialVersionUID = 1L;

    private final String text;

    private LiteralNumber(String text) {
      this.text = text;
    }

    @Override
    public int intValue() {
      return (int) doubleValue();
    }

    /**
     * Exactly.
     *
     * @throws NumberFormatException if it is no whole number of 64 bits
     */
    @Override
    public long longValue() {
      return Long.parseLong(text);
    }

    @Override
    public float floatValue() {
      return Float.parseFloat(text);
    }

    @Override
    public double doubleValue() {
      return Double.parseDouble(text);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private final String text;
  private int at;
  private int depth;

  private JsonReader(String text) {
    this.text = text;
  }

  /** The one value of a text. */
  public static @Nullable Object read(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value();
    reader.skipBlanks();
    if (reader.at < text.length()) {
      throw reader.wrong("expected the end");
    }
    return value;
  }

  private @Nullable Object value() {
    skipBlanks();
    char first = peek();
    return switch (first) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      default -> first == '-' || isDigit(first) ? number() : word();
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    enter();
    skipBlanks();
    if (peek() == '}') {
      leave();
      return object;
    }
    while (true) {
      skipBlanks();
      if (peek() != '"') {
        throw wrong("expected a name in quotes");
      }
      int start = at;
      String name = string();
      skipBlanks();
      expect(':');
      Object value = value();
      if (object.containsKey(name)) {
        at = start;
        throw wrong("the name \"" + name + "\" again");
      }
      object.put(name, value);
      skipBlanks();
      if (peek() == '}') {
        leave();
        return object;
      }
      expect(',');
    }
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> array = new ArrayList<>();
    enter();
    skipBlanks();
    if (peek() == ']') {
      leave();
      return array;
    }
    while (true) {
      array.add(value());
      skipBlanks();
      if (peek() == ']') {
        leave();
        return array;
      }
      expect(',');
    }
  }

  private void enter() {
    at++;
    if (++depth > DEEPEST) {
      throw wrong("more than " + DEEPEST + " values within each other");
    }
  }

  private void leave() {
    at++;
    depth--;
  }

  private String string() {
    StringBuilder string = new StringBuilder();
    at++;
    while (peek() != '"') {
      char c = text.charAt(at);
      if (c < ' ') {
        throw wrong("a control character in a text: write it as \\u%04x".formatted((int) c));
      }
      at++;
      string.append(c == '\\' ? escaped() : c);
    }
    at++;
    return string.toString();
  }

  private char escaped() {
    char kind = peek();
    at++;
    return switch (kind) {
      case '"', '\\', '/' -> kind;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> {
        at--;
        throw wrong("unknown escape");
      }
    };
  }

  private char unicode() {
    int code = 0;
    for (int i = 0; i < 4; i++) {
      int digit = peek() < 0x80 ? Character.digit(peek(), 16) : -1;
      if (digit < 0) {
        throw wrong("expected four hexadecimal digits behind \\u");
      }
      code = code << 4 | digit;
      at++;
    }
    return (char) code;
  }

  private LiteralNumber number() {
    int start = at;
    at += text.charAt(at) == '-' ? 1 : 0;
    boolean leadingZero = at < text.length() && text.charAt(at) == '0';
    int digits = digits();
    boolean wrong = digits == 0 || (leadingZero && digits > 1);
    if (at < text.length() && text.charAt(at) == '.') {
      at++;
      wrong |= digits() == 0;
    }
    if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
      at++;
      at += at < text.length() && "+-".indexOf(text.charAt(at)) >= 0 ? 1 : 0;
      wrong |= digits() == 0;
    }
    String literal = text.substring(start, at);
    if (wrong) {
      at = start;
      throw wrong("'" + literal + "' is no number");
    }
    return new LiteralNumber(literal);
  }

  private int digits() {
    int start = at;
    while (at < text.length() && isDigit(text.charAt(at))) {
      at++;
    }
    return at - start;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private @Nullable Boolean word() {
    for (String word : List.of("true", "false", "null")) {
      if (text.startsWith(word, at)) {
        at += word.length();
        return word.equals("null") ? null : Boolean.valueOf(word);
      }
    }
    throw wrong("expected a value");
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at == text.length()) {
      throw wrong("it ends too early");
    }
    return text.charAt(at);
  }

  private void expect(char c) {
    if (peek() != c) {
      throw wrong("expected '" + c + "'");
    }
    at++;
  }

  private InvalidRequestException wrong(String what) {
    return new InvalidRequestException("JSON, character " + (at + 1) + ": " + what);
  }
}
