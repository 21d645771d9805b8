package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;

/**
 * Changes of one row that apply together, across families, or not at all. Their order counts: a put
 * behind an erasure stays.
 *
 * <pre>{@code
 * table.mutate(RowMutation.of("user/42").put("name", "first", "Ada").deleteFamily("old"));
 * }</pre>
 */
public final class RowMutation {
  private final Bytes row;
  private final CellBatchBuilder changes = new CellBatchBuilder();

  private RowMutation(Bytes row) {
    this.row = row;
  }

  public static RowMutation of(Bytes row) {
    return new RowMutation(row);
  }

  public static RowMutation of(String row) {
    return new RowMutation(Bytes.utf8(row));
  }

  public Bytes row() {
    return row;
  }

  /** Writes a version with the time at which the server commits it. */
  public RowMutation put(String family, String qualifier, String value) {
    return put(Bytes.utf8(family), Bytes.utf8(qualifier), Bytes.utf8(value));
  }

  public RowMutation put(Bytes family, Bytes qualifier, Bytes value) {
    return put(family, qualifier, Cell.SERVER_TIME, value);
  }

  /** Writes the version with a timestamp, in microseconds. */
  public RowMutation put(Bytes family, Bytes qualifier, long timestamp, Bytes value) {
    changes.put(row, family, qualifier, timestamp, value);
    return this;
  }

  /** Erases one version. */
  public RowMutation deleteCell(Bytes family, Bytes qualifier, long timestamp) {
    changes.add(Cell.eraseCell(row, family, qualifier, timestamp));
    return this;
  }

  /** Erases all versions of a column. */
  public RowMutation deleteColumn(Bytes family, Bytes qualifier) {
    changes.add(Cell.eraseColumn(row, family, qualifier));
    return this;
  }

  /** Erases the versions of a column with {@code from <= timestamp < to}. */
  public RowMutation deleteColumn(Bytes family, Bytes qualifier, long from, long to) {
    changes.add(Cell.eraseColumn(row, family, qualifier, from, to));
    return this;
  }

  public RowMutation deleteColumn(String family, String qualifier) {
    return deleteColumn(Bytes.utf8(family), Bytes.utf8(qualifier));
  }

  public RowMutation deleteFamily(String family) {
    changes.add(Cell.eraseFamily(row, Bytes.utf8(family)));
    return this;
  }

  public RowMutation deleteRow() {
    changes.add(Cell.eraseRow(row));
    return this;
  }

  /** The packed changes; there must be at least one. */
  public CellBatch build() {
    return changes.build();
  }
}
