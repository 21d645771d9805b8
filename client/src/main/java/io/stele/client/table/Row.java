package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import java.util.List;
import java.util.Optional;

/**
 * What was read of a row.
 *
 * @param cells by family, qualifier, and then newest first
 */
public record Row(Bytes key, List<Cell> cells) {
  public Row {
    cells = List.copyOf(cells);
  }

  /** The newest value of a column, of those that were read. */
  public Optional<Bytes> value(String family, String qualifier) {
    return value(Bytes.utf8(family), Bytes.utf8(qualifier));
  }

  public Optional<Bytes> value(Bytes family, Bytes qualifier) {
    for (Cell cell : cells) {
      if (cell.family().equals(family) && cell.qualifier().equals(qualifier)) {
        return Optional.of(cell.value());
      }
    }
    return Optional.empty();
  }
}
