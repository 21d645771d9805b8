package io.stele.cli.metastore;

import io.stele.client.metastore.Consistency;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The shared {@code --consistency} option of commands that read. */
final class ConsistencyOption {

  @Option(
      names = "--consistency",
      paramLabel = "HOW",
      converter = Converter.class,
      defaultValue = "linearizable",
      description = {
        "How fresh (default: ${DEFAULT-VALUE}): linearizable sees all that was acknowledged before,"
            + " lease trusts a leader confirmed a moment ago, stale asks any member."
      })
  private Consistency consistency = Consistency.LINEARIZABLE;

  Consistency value() {
    return consistency;
  }

  static final class Converter implements ITypeConverter<Consistency> {
    @Override
    public Consistency convert(String text) {
      return Arrays.stream(Consistency.values())
          .filter(value -> name(value).equals(text))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'%s' is not one of %s"
                          .formatted(
                              text,
                              Arrays.stream(Consistency.values())
                                  .map(Converter::name)
                                  .collect(Collectors.joining(", ")))));
    }

    private static String name(Consistency value) {
      return value.name().toLowerCase(Locale.ROOT);
    }
  }
}
