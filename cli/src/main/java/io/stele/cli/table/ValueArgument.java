package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.cli.CommandEnvironment;
import io.stele.cli.ValueText;
import java.io.IOException;
import java.io.InputStream;

/** A value as an argument: in one of the notations of {@link CellText}, a file, or a pipe. */
final class ValueArgument {
  private ValueArgument() {}

  static Bytes read(String argument, CommandEnvironment environment) throws IOException {
    if (argument.equals("-")) {
      InputStream input = environment.requireInput("value '-'", "text:- is a value of one dash");
      return ValueText.read(argument, input);
    }
    return argument.startsWith("@")
        ? ValueText.read(argument, InputStream.nullInputStream())
        : CellText.argument("value", argument);
  }
}
