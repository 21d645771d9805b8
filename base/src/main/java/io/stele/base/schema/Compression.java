package io.stele.base.schema;

import io.stele.base.error.InvalidRequestException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How the blocks of a group's files are packed. */
public enum Compression {
  NONE,
  LZ4,
  ZSTD,
  SNAPPY;

  /** Reads the text form, which is the name in lower case. */
  public static Compression parse(String text) {
    for (Compression each : values()) {
      if (each.toString().equals(text)) {
        return each;
      }
    }
    throw new InvalidRequestException(
        "compression \""
            + text
            + "\": must be "
            + Arrays.stream(values()).map(Compression::toString).collect(Collectors.joining(", ")));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
