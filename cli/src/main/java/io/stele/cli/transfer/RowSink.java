package io.stele.cli.transfer;

import io.stele.base.cell.Cell;
import io.stele.base.cell.Column;
import io.stele.cli.Json;
import io.stele.cli.table.CellJson;
import io.stele.cli.table.CellText;
import io.stele.client.table.Row;
import java.io.IOException;
import java.io.Writer;
import java.util.List;

/** Writes rows to a file, exactly: see {@link FileFormat}. */
sealed interface RowSink {
  /** What stands before all rows. */
  void begin(Writer out) throws IOException;

  void write(Row row, Writer out) throws IOException;

  static RowSink of(FileFormat format) {
    return switch (format) {
      case CSV -> new OfFields(new Fields.Commas());
      case TSV -> new OfFields(new Fields.Tabs());
      case JSON -> new OfJson();
    };
  }

  /** A line for each cell. */
  record OfFields(Fields fields) implements RowSink {
    @Override
    public void begin(Writer out) throws IOException {
      out.write(fields.line(FieldRows.EXACT));
    }

    @Override
    public void write(Row row, Writer out) throws IOException {
      String key = CellText.show(row.key());
      for (Cell cell : row.cells()) {
        out.write(
            fields.line(
                List.of(
                    key,
                    CellText.show(new Column(cell.family(), cell.qualifier())),
                    "@" + cell.timestamp(),
                    CellText.show(cell.value()))));
      }
    }
  }

  /** A line for each row. */
  record OfJson() implements RowSink {
    @Override
    public void begin(Writer out) {}

    @Override
    public void write(Row row, Writer out) throws IOException {
      out.write(Json.writeLine(CellJson.row(row)));
      out.write('\n');
    }
  }
}
