package io.stele.base.cell;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Collects changes in the order in which they are meant, and packs them into a {@link CellBatch}.
 *
 * <p>All cells of a batch share one transaction, and an erasure hides only what came before its
 * transaction. What the order inside the batch means is therefore settled here: a later change to
 * the same cell replaces the earlier one, and an erasure removes the earlier puts that it covers.
 *
 * <pre>{@code
 * CellBatch batch =
 *     new CellBatchBuilder()
 *         .put(Bytes.utf8("row"), Bytes.utf8("family"), Bytes.utf8("column"), micros, value)
 *         .build();
 * }</pre>
 */
public final class CellBatchBuilder {
  private final List<Cell> changes = new ArrayList<>(1);
  private boolean ascending = true;
  private boolean widened;

  public CellBatchBuilder put(
      Bytes row, Bytes family, Bytes qualifier, long timestamp, Bytes value) {
    return add(Cell.put(row, family, qualifier, timestamp, value));
  }

  public CellBatchBuilder add(Cell change) {
    if (!changes.isEmpty() && changes.getLast().compareTo(change) >= 0) {
      ascending = false;
    }
    widened |= change.kind().isWide();
    changes.add(change.txn() == 0 ? change : change.withTxn(0));
    return this;
  }

  public int size() {
    return changes.size();
  }

  public CellBatch build() {
    if (changes.isEmpty()) {
      throw new InvalidRequestException("a batch of no changes: at least one is needed");
    }
    // Ascending changes cannot hold a put before a wide erasure that covers it: the erasure sorts
    // first, so it was added first.
    Iterable<Cell> cells = ascending ? changes : settle();
    int count = 0;
    ByteBuilder out = new ByteBuilder(estimate());
    out.putInt(CellBatch.MAGIC).putInt(0).putLong(0);
    Cell previous = changes.getFirst();
    for (Cell cell : cells) {
      PackedCells.append(out, cell, previous, count == 0);
      previous = cell;
      count++;
    }
    if (out.length() > CellBatch.MAX_BYTES) {
      throw new InvalidRequestException(
          "a batch of " + out.length() + " bytes: at most " + CellBatch.MAX_BYTES);
    }
    Binary.putInt(out.array(), 4, count);
    return new CellBatch(out.array(), 0, out.length());
  }

  private Iterable<Cell> settle() {
    NavigableMap<Cell, Cell> settled = new TreeMap<>();
    for (Cell change : changes) {
      if (widened && change.kind().isWide()) {
        removeCovered(settled, change);
      }
      settled.remove(change); // a put and an erasure of one cell are equal as keys
      settled.put(change, change);
    }
    return settled.values();
  }

  private static void removeCovered(NavigableMap<Cell, Cell> settled, Cell erasure) {
    Iterator<Cell> behind = settled.tailMap(erasure, false).keySet().iterator();
    while (behind.hasNext()) {
      Cell cell = behind.next();
      if (!cell.row().equals(erasure.row())) {
        return; // an erasure sorts before all it covers, and covers nothing outside its row
      }
      if (erasure.covers(cell)) {
        behind.remove();
      }
    }
  }

  private int estimate() {
    long bytes = CellBatch.HEADER;
    for (Cell c : changes) {
      bytes +=
          40L
              + c.row().length()
              + c.family().length()
              + c.qualifier().length()
              + c.value().length();
    }
    return (int) Math.min(bytes, CellBatch.MAX_BYTES);
  }
}
