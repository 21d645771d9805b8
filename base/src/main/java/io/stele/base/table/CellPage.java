package io.stele.base.table;

import io.stele.base.cell.CellBatch;
import java.util.Optional;

/**
 * Cells in their order, packed.
 *
 * @param txn the transaction at which they were read; defined for an empty page as well
 * @param cells none if there are none
 * @param more there may be cells behind these
 */
public record CellPage(long txn, Optional<CellBatch> cells, boolean more) {}
