package io.stele.base.settings;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How the values of one Java type are written in settings.
 *
 * @param form what a value looks like, for errors and documentation
 * @param parse from text; fails with {@link IllegalArgumentException}
 * @param format the text that {@code parse} reads back
 */
record ValueForm(String form, Function<String, Object> parse, Function<Object, String> format) {
  private static final Map<Type, ValueForm> SIMPLE =
      Map.of(
          String.class, new ValueForm("a text", text -> text, Object::toString),
          boolean.class, new ValueForm("true or false", ValueForm::parseBoolean, Object::toString),
          int.class, new ValueForm("a whole number such as 8", Integer::valueOf, Object::toString),
          Integer.class, // in an Optional
              new ValueForm("a whole number such as 8", Integer::valueOf, Object::toString),
          long.class, new ValueForm("a whole number such as 8", Long::valueOf, Object::toString),
          double.class,
              new ValueForm("a number such as 0.75", ValueForm::parseDouble, Object::toString),
          Path.class, new ValueForm("a path", Path::of, Object::toString),
          ByteSize.class, new ValueForm(ByteSize.FORM, ByteSize::parse, Object::toString),
          Duration.class,
              new ValueForm(
                  DurationText.FORM,
                  DurationText::parse,
                  value -> DurationText.format((Duration) value)));

  /** The form of a type, or nothing if settings cannot be of this type. */
  static Optional<ValueForm> of(Type type) {
    if (SIMPLE.containsKey(type)) {
      return Optional.ofNullable(SIMPLE.get(type));
    }
    if (type instanceof Class<?> c && c.isEnum()) {
      return Optional.of(ofEnum(c.getEnumConstants()));
    }
    if (type instanceof ParameterizedType generic) {
      Optional<ValueForm> element = of(generic.getActualTypeArguments()[0]);
      if (generic.getRawType().equals(List.class)) {
        return element.map(ValueForm::listOf);
      }
      if (generic.getRawType().equals(Optional.class)) {
        return element.map(ValueForm::optionalOf);
      }
    }
    return Optional.empty();
  }

  private static ValueForm ofEnum(Object[] constants) {
    Map<String, Object> byName =
        Arrays.stream(constants).collect(Collectors.toMap(ValueForm::enumName, c -> c));
    String names =
        Arrays.stream(constants).map(ValueForm::enumName).collect(Collectors.joining(", "));
    return new ValueForm(
        "one of " + names,
        text -> {
          Object constant = byName.get(text.toLowerCase(Locale.ROOT));
          if (constant == null) {
            throw new IllegalArgumentException(text);
          }
          return constant;
        },
        ValueForm::enumName);
  }

  private static ValueForm listOf(ValueForm element) {
    return new ValueForm(
        "a list, with commas between, of: " + element.form,
        text ->
            text.isBlank()
                ? List.of()
                : Arrays.stream(text.split(",", -1))
                    .map(part -> element.parse.apply(part.strip()))
                    .toList(),
        list -> ((List<?>) list).stream().map(element.format).collect(Collectors.joining(", ")));
  }

  private static ValueForm optionalOf(ValueForm element) {
    return new ValueForm(
        element.form + ", or nothing",
        text -> text.isEmpty() ? Optional.empty() : Optional.of(element.parse.apply(text)),
        optional -> ((Optional<?>) optional).map(element.format).orElse(""));
  }

  /** Unlike {@link Double#valueOf}, refuses {@code NaN}, and {@code 1d}, which looks like a day. */
  private static Object parseDouble(String text) {
    double value = new BigDecimal(text).doubleValue();
    if (Double.isInfinite(value)) {
      throw new IllegalArgumentException(text);
    }
    return value;
  }

  private static Object parseBoolean(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }

  private static String enumName(Object constant) {
    return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
