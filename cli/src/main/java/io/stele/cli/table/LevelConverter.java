package io.stele.cli.table;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a level of consistency as people write it.
 *
 * @param <E> the levels
 */
abstract class LevelConverter<E extends Enum<E>> implements ITypeConverter<E> {
  private final Class<E> levels;

  LevelConverter(Class<E> levels) {
    this.levels = levels;
  }

  @Override
  public E convert(String text) {
    return Arrays.stream(levels.getEnumConstants())
        .filter(level -> name(level).equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'%s' is not one of %s"
                        .formatted(
                            text,
                            Arrays.stream(levels.getEnumConstants())
                                .map(LevelConverter::name)
                                .collect(Collectors.joining(", ")))));
  }

  private static String name(Enum<?> level) {
    return level.name().toLowerCase(Locale.ROOT);
  }
}
