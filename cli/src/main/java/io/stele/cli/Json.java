package io.stele.cli;

import org.jspecify.annotations.Nullable;

/** The results of commands as JSON. */
public final class Json {

  private Json() {}

  /** The value as JSON text, indented, without a newline at its end. */
  public static String write(@Nullable Object value) {
    return io.stele.base.text.Json.write(value);
  }

  /** The value as JSON text on one line: for results that come one after the other. */
  public static String writeLine(@Nullable Object value) {
    return io.stele.base.text.Json.writeLine(value);
  }
}
