package io.stele.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON strictly, so that a test sees what any program would: a comma too many fails. */
public final class JsonReader {
  private final String text;
  private int at;

  private JsonReader(String text) {
    this.text = text;
  }

  public static @Nullable Object read(String text) {
    JsonReader reader = new JsonReader(text.strip());
    Object value = reader.value();
    if (reader.at != reader.text.length()) {
      throw reader.broken("the end");
    }
    return value;
  }

  private @Nullable Object value() {
    skipSpace();
    return switch (text.charAt(at)) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    expect('{');
    if (!found('}')) {
      do {
        skipSpace();
        String name = string();
        expect(':');
        fields.put(name, value());
      } while (found(','));
      expect('}');
    }
    return fields;
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> items = new ArrayList<>();
    expect('[');
    if (!found(']')) {
      do {
        items.add(value());
      } while (found(','));
      expect(']');
    }
    return items;
  }

  private String string() {
    expect('"');
    StringBuilder read = new StringBuilder();
    while (text.charAt(at) != '"') {
      char c = text.charAt(at++);
      if (c == '\\') {
        c = text.charAt(at++);
      }
      read.append(c);
    }
    at++;
    return read.toString();
  }

  private Double number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (start == at) {
      throw broken("a value");
    }
    return Double.valueOf(text.substring(start, at));
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw broken(word);
    }
    at += word.length();
    return value;
  }

  private boolean found(char wanted) {
    skipSpace();
    if (text.charAt(at) == wanted) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char wanted) {
    if (!found(wanted)) {
      throw broken("'" + wanted + "'");
    }
  }

  private void skipSpace() {
    while (Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private AssertionError broken(String wanted) {
    return new AssertionError("JSON has no " + wanted + " at " + at + ": " + text);
  }
}
