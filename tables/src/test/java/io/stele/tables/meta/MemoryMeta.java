package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellKind;
import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** META0 and META1 as sorted maps, with the rules of commits, and failures on demand. */
public final class MemoryMeta implements MetaAccess {
  private final Map<String, TreeMap<Cell, Cell>> tables = new HashMap<>();
  private final Map<Bytes, Long> rowTxns = new HashMap<>();
  private Supplier<Optional<SteleException>> failure = Optional::empty;
  private long txn;
  private int applies;
  private boolean apart;
  private int cellsScanned;

  /** From now on each commit asks whether it fails. */
  public synchronized void failWith(Supplier<Optional<SteleException>> next) {
    failure = next;
  }

  /** From now on each row is on a server of its own. */
  synchronized void setApart() {
    apart = true;
  }

  synchronized int applies() {
    return applies;
  }

  synchronized int cellsScanned() {
    return cellsScanned;
  }

  @Override
  public synchronized CompletableFuture<Long> apply(
      String metaTable, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    applies++;
    Optional<SteleException> fails = failure.get();
    if (fails.isPresent()) {
      return CompletableFuture.failedFuture(fails.get());
    }
    List<Cell> all = cells(CellBatch.parse(cells.toArray()));
    for (Cell cell : all) {
      if (rowTxns.getOrDefault(cell.row(), 0L) > commitMaxTxn) {
        return CompletableFuture.failedFuture(
            new ConflictException("row " + cell.row() + " is newer than " + commitMaxTxn));
      }
    }
    txn++;
    TreeMap<Cell, Cell> table = tables.computeIfAbsent(metaTable, any -> new TreeMap<>());
    for (Cell cell : all) {
      if (cell.kind() != CellKind.PUT) {
        table.keySet().removeIf(cell::covers);
      }
    }
    for (Cell cell : all) {
      rowTxns.put(cell.row(), txn);
      if (cell.kind() == CellKind.PUT) {
        table.remove(cell);
        table.put(cell, cell);
      }
    }
    return CompletableFuture.completedFuture(txn);
  }

  @Override
  public List<List<Bytes>> together(String metaTable, List<Bytes> rows) {
    if (apart) {
      return rows.stream().map(List::of).toList();
    }
    return rows.isEmpty() ? List.of() : List.of(rows);
  }

  @Override
  public synchronized long scan(
      String metaTable, ReadPredicate predicate, boolean latest, Predicate<Cell> each) {
    Set<List<Bytes>> seen = new HashSet<>();
    for (Cell cell : tables.getOrDefault(metaTable, new TreeMap<>()).values()) {
      boolean wanted = predicate.rows().stream().anyMatch(range -> range.contains(cell.row()));
      if (wanted && seen.add(List.of(cell.row(), cell.family(), cell.qualifier()))) {
        cellsScanned++;
        if (!each.test(cell)) {
          break;
        }
      }
    }
    return txn;
  }

  private static List<Cell> cells(CellBatch batch) {
    List<Cell> cells = new ArrayList<>();
    CellBatch.Reader reader = batch.read();
    while (reader.next()) {
      cells.add(reader.cell().toCell());
    }
    return cells;
  }
}
