package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import java.util.Optional;

/**
 * Cells as they are stored, erasures included, of some rows.
 *
 * @param cells none if there are none
 * @param end all rows before it that were asked for are here; none if all are
 */
public record StoredCells(Optional<CellBatch> cells, Optional<Bytes> end) {}
