package io.stele.cli;

import io.stele.base.settings.DurationText;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Times as they are written in settings: {@code 5s}, {@code 250ms}. */
public final class DurationConverter implements ITypeConverter<Duration> {
  @Override
  public Duration convert(String text) {
    try {
      return DurationText.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("'" + text + "' is no time such as 5s or 250ms");
    }
  }
}
