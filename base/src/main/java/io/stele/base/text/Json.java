package io.stele.base.text;

import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes values as JSON: maps (in their order), iterables, strings, numbers, booleans and null. Any
 * other value is written as its {@code toString}, as a string; so are the numbers that JSON has no
 * form for (NaN and the infinities).
 */
public final class Json {

  private static final String INDENT = "  ";

  private Json() {}

  /** The value as JSON text, indented, without a newline at its end. */
  public static String write(@Nullable Object value) {
    StringBuilder text = new StringBuilder();
    append(text, value, "\n");
    return text.toString();
  }

  /** The value as JSON text on one line: for results that come one after the other. */
  public static String writeLine(@Nullable Object value) {
    StringBuilder text = new StringBuilder();
    appendLine(text, value);
    return text.toString();
  }

  private static void appendLine(StringBuilder text, @Nullable Object value) {
    String separator = "";
    switch (value) {
      case Map<?, ?> map -> {
        text.append('{');
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          text.append(separator);
          appendString(text, String.valueOf(entry.getKey()));
          text.append(": ");
          appendLine(text, entry.getValue());
          separator = ", ";
        }
        text.append('}');
      }
      case Iterable<?> items -> {
        text.append('[');
        for (Object item : items) {
          text.append(separator);
          appendLine(text, item);
          separator = ", ";
        }
        text.append(']');
      }
      case null, default -> append(text, value, "");
    }
  }

  /** {@code newline} is a line break followed by the indentation of the enclosing value. */
  private static void append(StringBuilder text, @Nullable Object value, String newline) {
    switch (value) {
      case null -> text.append("null");
      case Boolean flag -> text.append(flag);
      case Double number when !Double.isFinite(number) -> appendString(text, number.toString());
      case Float number when !Float.isFinite(number) -> appendString(text, number.toString());
      case Number number -> text.append(number);
      case Map<?, ?> map -> appendObject(text, map, newline);
      case Iterable<?> items -> appendArray(text, items, newline);
      default -> appendString(text, value.toString());
    }
  }

  private static void appendObject(StringBuilder text, Map<?, ?> map, String newline) {
    text.append('{');
    String separator = "";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      text.append(separator).append(newline).append(INDENT);
      appendString(text, String.valueOf(entry.getKey()));
      text.append(": ");
      append(text, entry.getValue(), newline + INDENT);
      separator = ",";
    }
    text.append(map.isEmpty() ? "" : newline).append('}');
  }

  private static void appendArray(StringBuilder text, Iterable<?> items, String newline) {
    Iterator<?> iterator = items.iterator();
    boolean empty = !iterator.hasNext();
    text.append('[');
    while (iterator.hasNext()) {
      text.append(newline).append(INDENT);
      append(text, iterator.next(), newline + INDENT);
      text.append(iterator.hasNext() ? "," : "");
    }
    text.append(empty ? "" : newline).append(']');
  }

  private static void appendString(StringBuilder text, String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"', '\\' -> text.append('\\').append(c);
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        default -> {
          if (c < ' ' || Character.isSurrogate(c)) {
            // Escaped surrogates survive any output encoding, also when one stands alone.
            text.append("\\u%04x".formatted((int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }
}
