package io.stele.cli.transfer;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.text.JsonReader;
import io.stele.cli.Json;
import io.stele.cli.transfer.ColumnMapping.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a file with a JSON object on each line: by a mapping of its names, or exact cells as an
 * export has them, which is told by the name {@code cells}.
 */
final class JsonRows implements RowSource {
  private final LineInput lines;
  private final ColumnMapping mapping;

  JsonRows(LineInput lines, ColumnMapping mapping) {
    this.lines = lines;
    this.mapping = mapping;
  }

  @Override
  public Optional<List<Cell>> next(long time) throws IOException {
    Optional<String> line = lines.next();
    return line.map(text -> text.isBlank() ? List.of() : cells(text, time));
  }

  private List<Cell> cells(String line, long time) {
    if (!(JsonReader.read(line) instanceof Map<?, ?> object)) {
      throw new InvalidRequestException("must be a JSON object, such as {\"row\": \"42\", ...}");
    }
    return object.get("cells") instanceof List<?> cells
        ? exact(object, cells)
        : mapped(object, time);
  }

  // ---- as an export has them

  /** The cells of an object that has some. */
  static List<Cell> exact(Map<?, ?> object) {
    return object.get("cells") instanceof List<?> cells ? exact(object, cells) : List.of();
  }

  private static List<Cell> exact(Map<?, ?> object, List<?> list) {
    Bytes row = bytes(object, "row");
    List<Cell> cells = new ArrayList<>();
    for (Object each : list) {
      if (!(each instanceof Map<?, ?> cell)) {
        throw new InvalidRequestException("\"cells\" must be objects with family and qualifier");
      }
      cells.add(
          Cell.put(
              row,
              bytes(cell, "family"),
              bytes(cell, "qualifier"),
              time(cell),
              bytes(cell, "value")));
    }
    return cells;
  }

  private static Bytes bytes(Map<?, ?> object, String name) {
    if (object.get(name) instanceof String text) {
      return Bytes.utf8(text);
    }
    if (object.get(name + "Base64") instanceof String text) {
      try {
        return Bytes.wrap(Base64.getDecoder().decode(text));
      } catch (IllegalArgumentException e) {
        throw new InvalidRequestException("\"" + name + "Base64\" is not base 64", e);
      }
    }
    throw new InvalidRequestException(
        "no \"%s\" that is a text, and no \"%sBase64\"".formatted(name, name));
  }

  private static long time(Map<?, ?> cell) {
    if (cell.get("time") instanceof JsonReader.LiteralNumber number) {
      try {
        return number.longValue();
      } catch (NumberFormatException e) {
        throw new InvalidRequestException("\"time\" " + number + " is no whole number", e);
      }
    }
    throw new InvalidRequestException("no \"time\" that is a number of microseconds");
  }

  // ---- by a mapping

  private List<Cell> mapped(Map<?, ?> object, long time) {
    List<String> names = object.keySet().stream().map(String::valueOf).toList();
    mapping.requireRow(names);
    Bytes row = mapping.bytes("row", text(object.get(mapping.row())).orElse(""));
    if (row.isEmpty()) {
      throw new InvalidRequestException("field '" + mapping.row() + "', the row's key, is empty");
    }
    List<Cell> cells = new ArrayList<>();
    for (String name : names) {
      Optional<String> value = text(object.get(name));
      if (mapping.target(name) instanceof Target.Cell(Column column) && value.isPresent()) {
        Bytes bytes = mapping.bytes("field '" + name + "'", value.get());
        cells.add(Cell.put(row, column.family(), column.qualifier(), time, bytes));
      }
    }
    return cells;
  }

  /** Texts as they are, lists and objects as JSON; null is nothing. */
  private static Optional<String> text(@Nullable Object value) {
    return switch (value) {
      case null -> Optional.empty();
      case String text -> Optional.of(text);
      case Map<?, ?> object -> Optional.of(Json.writeLine(object));
      case List<?> list -> Optional.of(Json.writeLine(list));
      default -> Optional.of(value.toString());
    };
  }
}
