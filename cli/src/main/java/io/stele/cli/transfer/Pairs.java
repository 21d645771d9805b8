package io.stele.cli.transfer;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.text.Json;
import io.stele.base.text.JsonReader;
import io.stele.cli.table.CellText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values of a file, a pair for each of its rows. Of a row with one field beside the key,
 * or where one is chosen, the value is that field as it is; else it is a JSON object of all others.
 *
 * <p>Of an export of a table the key is the row, and its columns are the fields, by their names
 * {@code FAMILY:QUALIFIER}, each with its newest version.
 */
abstract class Pairs {
  /** A key and its value. */
  record Pair(Bytes key, Bytes value) {}

  /**
   * What is key, and what is value.
   *
   * @param value the field that is the value; null for all others
   * @param escaped texts are as in {@link CellText}, not as they are
   */
  record Choice(String key, @Nullable String value, boolean escaped) {
    private Bytes bytes(String what, String text) {
      return escaped ? CellText.unescape(what, text) : Bytes.utf8(text);
    }

    /** The value of a row, by its fields without the key. */
    Bytes value(Map<String, ? extends @Nullable Object> fields) {
      if (value != null) {
        if (!fields.containsKey(value)) {
          throw new InvalidRequestException(
              "no field '%s' for the value among %s: give --value NAME"
                  .formatted(value, String.join(", ", fields.keySet())));
        }
        return plain(value, fields.get(value));
      }
      if (fields.size() == 1) {
        Map.Entry<String, ? extends @Nullable Object> only = fields.entrySet().iterator().next();
        return plain(only.getKey(), only.getValue());
      }
      return Bytes.utf8(Json.writeLine(fields));
    }

    private Bytes plain(String name, @Nullable Object field) {
      return switch (field) {
        case null -> Bytes.EMPTY;
        case Bytes bytes -> bytes;
        case String text -> bytes("field '" + name + "'", text);
        case Map<?, ?> object -> Bytes.utf8(Json.writeLine(object));
        case List<?> list -> Bytes.utf8(Json.writeLine(list));
        default -> Bytes.utf8(field.toString());
      };
    }
  }

  /** The next pair; nothing at the end. */
  abstract Optional<Pair> next() throws IOException;

  /**
   * Reads a file.
   *
   * @param names of the fields of a file without a header; none to take them from the first line
   */
  static Pairs open(FileFormat format, LineInput lines, Choice choice, List<String> names)
      throws IOException {
    return switch (format) {
      case CSV -> ofFields(lines, new Fields.Commas(), choice, names);
      case TSV -> ofFields(lines, new Fields.Tabs(), choice, names);
      case JSON -> new OfJson(lines, choice);
    };
  }

  private static Pairs ofFields(LineInput lines, Fields fields, Choice choice, List<String> given)
      throws IOException {
    List<String> names =
        !given.isEmpty()
            ? given
            : fields
                .next(lines)
                .orElseThrow(() -> new InvalidRequestException("no header: the file is empty"));
    if (names.equals(FieldRows.EXACT)) {
      ColumnMapping none = new ColumnMapping("row", Optional.empty(), Map.of(), Set.of(), false);
      return new OfExport(FieldRows.open(lines, fields, none, names), choice);
    }
    if (!names.contains(choice.key())) {
      throw new InvalidRequestException(
          "no field '%s' for the key among %s: give --key NAME"
              .formatted(choice.key(), String.join(", ", names)));
    }
    return new OfFields(lines, fields, choice, names);
  }

  private static final class OfFields extends Pairs {
    private final LineInput lines;
    private final Fields fields;
    private final Choice choice;
    private final List<String> names;

    OfFields(LineInput lines, Fields fields, Choice choice, List<String> names) {
      this.lines = lines;
      this.fields = fields;
      this.choice = choice;
      this.names = names;
    }

    @Override
    Optional<Pair> next() throws IOException {
      Optional<List<String>> record = fields.next(lines);
      while (record.isPresent() && record.get().equals(List.of(""))) {
        record = fields.next(lines); // an empty line
      }
      if (record.isEmpty()) {
        return Optional.empty();
      }
      List<String> values = record.get();
      if (values.size() != names.size()) {
        throw new InvalidRequestException(
            "%d fields, expected %d: %s"
                .formatted(values.size(), names.size(), String.join(", ", names)));
      }
      Bytes key = Bytes.EMPTY;
      Map<String, Object> others = new LinkedHashMap<>();
      for (int i = 0; i < values.size(); i++) {
        if (names.get(i).equals(choice.key())) {
          key = choice.bytes("key", values.get(i));
        } else {
          others.put(names.get(i), values.get(i));
        }
      }
      return Optional.of(new Pair(key, choice.value(others)));
    }
  }

  private static final class OfJson extends Pairs {
    private final LineInput lines;
    private final Choice choice;

    OfJson(LineInput lines, Choice choice) {
      this.lines = lines;
      this.choice = choice;
    }

    @Override
    Optional<Pair> next() throws IOException {
      Optional<String> line = lines.next();
      while (line.isPresent() && line.get().isBlank()) {
        line = lines.next();
      }
      return line.map(this::pair);
    }

    private Pair pair(String line) {
      if (!(JsonReader.read(line) instanceof Map<?, ?> object)) {
        throw new InvalidRequestException("must be a JSON object, such as {\"key\": \"42\", ...}");
      }
      if (object.get("cells") instanceof List<?> && !object.containsKey(choice.key())) {
        return ofRow(JsonRows.exact(object), choice);
      }
      if (!object.containsKey(choice.key())) {
        throw new InvalidRequestException(
            "no \"%s\" for the key: give --key NAME".formatted(choice.key()));
      }
      Bytes key = choice.plain(choice.key(), object.get(choice.key()));
      Map<String, @Nullable Object> others = new LinkedHashMap<>();
      object.forEach(
          (name, value) -> {
            if (!name.equals(choice.key())) {
              others.put(String.valueOf(name), value);
            }
          });
      return new Pair(key, choice.value(others));
    }
  }

  /** A line for each cell; those of a row follow each other. */
  private static final class OfExport extends Pairs {
    private final FieldRows rows;
    private final Choice choice;
    private List<Cell> begun = new ArrayList<>();

    OfExport(FieldRows rows, Choice choice) {
      this.rows = rows;
      this.choice = choice;
    }

    @Override
    Optional<Pair> next() throws IOException {
      while (true) {
        Optional<List<Cell>> line = rows.next(0);
        List<Cell> cells = line.orElse(List.of());
        List<Cell> row = begun;
        if (line.isEmpty()) {
          begun = new ArrayList<>();
          return row.isEmpty() ? Optional.empty() : Optional.of(ofRow(row, choice));
        }
        boolean another =
            !row.isEmpty()
                && !cells.isEmpty()
                && !row.getFirst().row().equals(cells.getFirst().row());
        if (another) {
          begun = new ArrayList<>(cells);
          return Optional.of(ofRow(row, choice));
        }
        row.addAll(cells);
      }
    }
  }

  private static Pair ofRow(List<Cell> cells, Choice choice) {
    Map<String, Cell> newest = new LinkedHashMap<>();
    for (Cell cell : cells) {
      newest.merge(
          CellText.show(new Column(cell.family(), cell.qualifier())),
          cell,
          (one, other) -> other.timestamp() > one.timestamp() ? other : one);
    }
    if (newest.isEmpty()) {
      throw new InvalidRequestException("a row without cells");
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    boolean plain = choice.value() != null || newest.size() == 1;
    newest.forEach(
        (name, cell) -> fields.put(name, plain ? cell.value() : CellText.show(cell.value())));
    return new Pair(cells.getFirst().row(), choice.value(fields));
  }
}
