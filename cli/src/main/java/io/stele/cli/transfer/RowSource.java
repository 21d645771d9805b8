package io.stele.cli.transfer;

import io.stele.base.cell.Cell;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Reads the cells of a file, a line at a time. */
interface RowSource {
  /**
   * The cells of the next line, all of one row, none if it has none; nothing at the end.
   *
   * @param time of cells that have none of their own
   * @throws io.stele.base.error.InvalidRequestException if the line is wrong; the next call goes on
   *     behind it
   */
  Optional<List<Cell>> next(long time) throws IOException;
}
