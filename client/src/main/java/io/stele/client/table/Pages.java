package io.stele.client.table;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.table.CellPage;
import java.util.ArrayList;
import java.util.List;

/** Unpacks what servers answer. */
final class Pages {
  private Pages() {}

  static List<Cell> cells(CellPage page) {
    List<Cell> cells = new ArrayList<>();
    if (page.cells().isPresent()) {
      CellBatch.Reader reader = page.cells().get().read();
      while (reader.next()) {
        cells.add(reader.cell().toCell());
      }
    }
    return cells;
  }

  static long bigEndian(Bytes value) {
    if (value.length() != Long.BYTES) {
      throw new InvalidRequestException(
          "a counter of " + value.length() + " bytes: must be " + Long.BYTES);
    }
    return Binary.getLongBigEndian(value.sharedArray(), 0);
  }
}
