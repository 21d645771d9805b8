package io.stele.cli.transfer;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.TimeText;
import io.stele.cli.table.CellText;
import io.stele.cli.transfer.ColumnMapping.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rows of a file with fields: by a mapping of its columns, or exact cells as an export has them.
 */
final class FieldRows implements RowSource {
  /** The header of an export. */
  static final List<String> EXACT = List.of("row", "column", "time", "value");

  private final LineInput lines;
  private final Fields fields;
  private final ColumnMapping mapping;
  private final List<String> names;
  private final List<Target> targets;

  private FieldRows(
      LineInput lines,
      Fields fields,
      ColumnMapping mapping,
      List<String> names,
      List<Target> targets) {
    this.lines = lines;
    this.fields = fields;
    this.mapping = mapping;
    this.names = names;
    this.targets = targets;
  }

  /**
   * Reads the header, unless the names of the fields are given.
   *
   * @param given none to take them from the first line
   */
  static FieldRows open(LineInput lines, Fields fields, ColumnMapping mapping, List<String> given)
      throws IOException {
    List<String> names =
        !given.isEmpty()
            ? given
            : fields
                .next(lines)
                .orElseThrow(() -> new InvalidRequestException("no header: the file is empty"));
    if (names.equals(EXACT)) {
      return new FieldRows(lines, fields, mapping, names, List.of());
    }
    mapping.requireRow(names);
    List<Target> targets = names.stream().map(mapping::target).toList();
    return new FieldRows(lines, fields, mapping, names, targets);
  }

  @Override
  public Optional<List<Cell>> next(long time) throws IOException {
    Optional<List<String>> record = fields.next(lines);
    if (record.isEmpty()) {
      return Optional.empty();
    }
    List<String> values = record.get();
    if (values.equals(List.of(""))) {
      return Optional.of(List.of()); // an empty line
    }
    if (values.size() != names.size()) {
      throw new InvalidRequestException(
          "%d fields, expected %d: %s"
              .formatted(values.size(), names.size(), String.join(", ", names)));
    }
    return Optional.of(targets.isEmpty() ? List.of(exact(values)) : mapped(values, time));
  }

  private static Cell exact(List<String> values) {
    Column column = exactColumn(values.get(1));
    return Cell.put(
        CellText.unescape("row", values.get(0)),
        column.family(),
        column.qualifier(),
        TimeText.parse(values.get(2)),
        CellText.unescape("value", values.get(3)));
  }

  /** Without the other notations of arguments: a qualifier may begin with {@code hex:}. */
  private static Column exactColumn(String text) {
    int colon = text.indexOf(':');
    if (colon < 1) {
      throw new InvalidRequestException("column '" + text + "': must be FAMILY:QUALIFIER");
    }
    return new Column(
        CellText.unescape("family", text.substring(0, colon)),
        CellText.unescape("qualifier", text.substring(colon + 1)));
  }

  private List<Cell> mapped(List<String> values, long time) {
    Bytes row = Bytes.EMPTY;
    for (int i = 0; i < values.size(); i++) {
      if (targets.get(i) instanceof Target.RowKey) {
        row = mapping.bytes("row", values.get(i));
      }
    }
    if (row.isEmpty()) {
      throw new InvalidRequestException("field '" + mapping.row() + "', the row's key, is empty");
    }
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      if (targets.get(i) instanceof Target.Cell(Column column) && !values.get(i).isEmpty()) {
        Bytes value = mapping.bytes("field '" + names.get(i) + "'", values.get(i));
        cells.add(Cell.put(row, column.family(), column.qualifier(), time, value));
      }
    }
    return cells;
  }
}
