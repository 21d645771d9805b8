package io.stele.cli.table;

import io.stele.base.cell.Cell;
import io.stele.base.cell.Column;
import io.stele.base.predicate.TimeText;
import io.stele.cli.DisplayWidth;
import io.stele.client.table.Row;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Draws cells in columns, any number of them: the widths are those of the first cells, and grow
 * where later ones need more, so that nothing has to be kept. The key of a row stands at its first
 * cell only.
 */
final class CellTable {
  private static final int GATHERED = 500;
  private static final int WIDEST = 60; // a wider one moves its own line only
  private static final String GAP = "  ";

  private final PrintWriter out;
  private final boolean withRow;
  private final int[] widths;
  private final List<String[]> gathered = new ArrayList<>();

  CellTable(PrintWriter out, boolean withRow) {
    this.out = out;
    this.withRow = withRow;
    this.widths = new int[withRow ? 4 : 3];
    add(
        withRow
            ? new String[] {"ROW", "COLUMN", "TIME", "VALUE"}
            : new String[] {"COLUMN", "TIME", "VALUE"});
  }

  void add(Row row) {
    String key = CellText.show(row.key());
    for (Cell cell : row.cells()) {
      String column = CellText.show(new Column(cell.family(), cell.qualifier()));
      String time = TimeText.print(cell.timestamp());
      String value = CellText.show(cell.value());
      add(withRow ? new String[] {key, column, time, value} : new String[] {column, time, value});
      key = "";
    }
  }

  private void add(String[] line) {
    gathered.add(line);
    if (gathered.size() == GATHERED) {
      flush();
    }
  }

  /** Prints what is left. */
  void flush() {
    for (String[] line : gathered) {
      for (int i = 0; i < line.length; i++) {
        widths[i] = Math.max(widths[i], Math.min(WIDEST, DisplayWidth.of(line[i])));
      }
    }
    for (String[] line : gathered) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < line.length; i++) {
        text.append(line[i]);
        if (i < line.length - 1) {
          text.append(DisplayWidth.padding(line[i], widths[i])).append(GAP);
        }
      }
      out.println(text.toString().stripTrailing());
    }
    gathered.clear();
    out.flush();
  }
}
