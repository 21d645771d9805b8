package io.stele.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How a command prints its result: for people or for programs. */
public enum OutputFormat {
  TABLE,
  JSON;

  /** As the user types it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  static final class Converter implements ITypeConverter<OutputFormat> {
    @Override
    public OutputFormat convert(String text) {
      return Arrays.stream(values())
          .filter(format -> format.toString().equals(text))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'%s' is not one of %s"
                          .formatted(
                              text,
                              Arrays.stream(values())
                                  .map(OutputFormat::toString)
                                  .collect(Collectors.joining(", ")))));
    }
  }
}
