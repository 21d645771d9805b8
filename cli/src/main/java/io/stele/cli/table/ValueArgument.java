package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.cli.ValueText;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** A value as an argument: in one of the notations of {@link CellText}, a file, or a pipe. */
final class ValueArgument {
  private ValueArgument() {}

  static Bytes read(String argument, Optional<InputStream> input) throws IOException {
    if (argument.equals("-") && input.isEmpty()) {
      throw new InvalidRequestException(
          "value '-': standard input is read as commands here; text:- is a value of one dash");
    }
    boolean elsewhere = argument.equals("-") || argument.startsWith("@");
    return elsewhere
        ? ValueText.read(argument, input.orElseGet(InputStream::nullInputStream))
        : CellText.argument("value", argument);
  }
}
