package io.stele.base.table;

import io.stele.base.bytes.Bytes;

/**
 * A row, and about how many bytes of the table lie before it.
 *
 * @param row empty for the table's end
 */
public record RowSample(Bytes row, long offset) {}
