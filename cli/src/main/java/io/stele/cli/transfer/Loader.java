package io.stele.cli.transfer;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.client.table.BatchWriter;
import io.stele.client.table.RowMutation;
import io.stele.client.table.Table;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of a source to a table, many at a time.
 *
 * <p>Cells without a time of their own get the time at which the load began, plus a microsecond for
 * each line: batches may be committed in any order, and still the later line of two for the same
 * column is the newer version. Because every cell has its time, writing one twice changes nothing.
 */
final class Loader {
  private static final int ROW_CELLS = 1_000; // of one row, gathered from lines
  private static final long ROW_BYTES = 1 << 20;

  private final Table table;
  private final TableSchema schema;
  private final LineInput lines;
  private final RowSource source;
  private final long started;
  private long records;
  private long rows;
  private long cells;
  private long skipped;
  private @Nullable RowMutation gathered;
  private int gatheredCells;
  private long gatheredBytes;

  /**
   * @param started microseconds
   */
  Loader(Table table, TableSchema schema, LineInput lines, RowSource source, long started) {
    this.table = table;
    this.schema = schema;
    this.lines = lines;
    this.source = source;
    this.started = started;
  }

  /**
   * Loads all.
   *
   * @param onMistake is told the number and the mistake of each line that is left out; none to stop
   *     at the first
   */
  void load(Optional<BiConsumer<Long, String>> onMistake, Progress progress) throws IOException {
    try (BatchWriter writer = table.writer()) {
      while (true) {
        long line = lines.number() + 1;
        Optional<List<Cell>> next;
        try {
          next = source.next(started + records++);
          next.ifPresent(this::checkFamilies);
        } catch (InvalidRequestException e) {
          if (onMistake.isEmpty()) {
            flush(writer);
            writer.flush();
            throw new InvalidRequestException(
                "line %d: %s\n%s".formatted(line, e.getMessage(), whatIsThere()), e);
          }
          skipped++;
          onMistake.get().accept(line, String.valueOf(e.getMessage()));
          continue;
        }
        if (next.isEmpty()) {
          break;
        }
        gather(next.get(), writer);
        progress.update(lines.bytes(), rows);
      }
      flush(writer);
      writer.flush();
    }
  }

  private String whatIsThere() {
    return rows == 0
        ? "Nothing was loaded."
        : "The %d %s before it %s loaded."
            .formatted(rows, rows == 1 ? "row" : "rows", rows == 1 ? "is" : "are");
  }

  private void checkFamilies(List<Cell> line) {
    for (Cell cell : line) {
      if (schema.groupOf(cell.family()).isEmpty()) {
        throw new InvalidRequestException(
            "family '%s' is not one of table %s, which has %s"
                .formatted(cell.family(), table.name(), families()));
      }
    }
  }

  private String families() {
    return schema.groups().stream()
        .map(GroupSchema::families)
        .flatMap(Collection::stream)
        .collect(Collectors.joining(", "));
  }

  /** Lines of one row that follow each other are one change, within reason. */
  private void gather(List<Cell> line, BatchWriter writer) {
    for (Cell cell : line) {
      Bytes row = cell.row();
      if (gathered == null
          || !gathered.row().equals(row)
          || gatheredCells >= ROW_CELLS
          || gatheredBytes >= ROW_BYTES) {
        boolean another = gathered == null || !gathered.row().equals(row);
        flush(writer);
        gathered = RowMutation.of(row);
        rows += another ? 1 : 0;
      }
      gathered.put(cell.family(), cell.qualifier(), cell.timestamp(), cell.value());
      gatheredCells++;
      gatheredBytes += cell.value().length();
      cells++;
    }
  }

  private void flush(BatchWriter writer) {
    if (gathered != null) {
      writer.add(gathered);
    }
    gathered = null;
    gatheredCells = 0;
    gatheredBytes = 0;
  }

  /** Rows that were taken from lines; of lines of one row that follow each other, one. */
  long rows() {
    return rows;
  }

  long cells() {
    return cells;
  }

  long skipped() {
    return skipped;
  }

  /** The last line that was read. */
  long line() {
    return lines.number();
  }
}
