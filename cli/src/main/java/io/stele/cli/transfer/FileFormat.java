package io.stele.cli.transfer;

import io.stele.base.error.InvalidRequestException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The formats of files with rows. Each has a form that holds cells exactly, versions and all, which
 * is what an export writes:
 *
 * <pre>
 * csv    row,column,time,value       a header, and a line for each cell
 * tsv    the same, with tabs         bytes that are no text, and backslashes, as in {@link
 *                                    io.stele.cli.table.CellText}
 * json   a row on each line          as {@link io.stele.cli.table.CellJson} has it
 * </pre>
 *
 * <p>A load takes any other table as well, a row on each line, by a {@link ColumnMapping}.
 */
enum FileFormat {
  CSV,
  TSV,
  JSON;

  /** What a user says, or else what the file's name does. */
  static FileFormat choose(@Nullable String given, String file) {
    String name = given != null ? given : ending(file);
    for (FileFormat format : values()) {
      if (format.toString().equals(name) || (format == JSON && isJsonLines(name))) {
        return format;
      }
    }
    String known =
        Arrays.stream(values()).map(FileFormat::toString).collect(Collectors.joining(", "));
    throw new InvalidRequestException(
        given != null
            ? "--format '%s': must be %s".formatted(given, known)
            : "file '%s' does not say its format by its name: give --format %s"
                .formatted(file, known));
  }

  private static String ending(String file) {
    return file.substring(file.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
  }

  private static boolean isJsonLines(String name) {
    return name.equals("jsonl") || name.equals("ndjson");
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
