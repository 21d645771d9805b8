package io.stele.cli.transfer;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.cli.table.CellText;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where the named fields of a file's rows go.
 *
 * @param row the field that is the row's key
 * @param family for fields that are no column by their name
 * @param columns for fields by their name, before anything else
 * @param skipped fields that are left out
 * @param escaped texts are as in {@link CellText}, not as they are
 */
record ColumnMapping(
    String row,
    Optional<String> family,
    Map<String, Column> columns,
    Set<String> skipped,
    boolean escaped) {
  ColumnMapping {
    columns = Map.copyOf(columns);
    skipped = Set.copyOf(skipped);
  }

  /** Where one field goes. */
  sealed interface Target {
    record RowKey() implements Target {}

    record Nowhere() implements Target {}

    record Cell(Column column) implements Target {}
  }

  Target target(String name) {
    if (name.equals(row)) {
      return new Target.RowKey();
    }
    if (skipped.contains(name)) {
      return new Target.Nowhere();
    }
    Column column = columns.get(name);
    if (column != null) {
      return new Target.Cell(column);
    }
    if (name.indexOf(':') > 0) {
      return new Target.Cell(CellText.column(name));
    }
    return new Target.Cell(
        family
            .map(given -> new Column(Bytes.utf8(given), Bytes.utf8(name)))
            .orElseThrow(
                () ->
                    new InvalidRequestException(
                        "field '%s' is no FAMILY:QUALIFIER: give --family, --map '%s=FAMILY:QUALIFIER' or --skip '%s'"
                            .formatted(name, name, name))));
  }

  Bytes bytes(String what, String text) {
    return escaped ? CellText.unescape(what, text) : Bytes.utf8(text);
  }

  /** The names of a file's fields must tell the row's key. */
  void requireRow(List<String> names) {
    if (!names.contains(row)) {
      throw new InvalidRequestException(
          "no field '%s' for the row's key among %s: give --row NAME"
              .formatted(row, String.join(", ", names)));
    }
  }
}
