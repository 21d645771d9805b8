package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Changes of rows of a META table that depend on what the rows say: they are read, it is decided,
 * and the change is committed only if no other came in between; else all is done again.
 *
 * <p>What is read is durable, and so is its transaction. If the server of META crashes meanwhile,
 * the next one begins above it, and what others write there is newer for sure. By a transaction
 * that was lost in the crash it might not be.
 *
 * <p>Rows on several servers are changed server by server, in the order of the rows, except that
 * rows are erased last. A crash in between then leaves two rows for the same tablet, which a repair
 * can tell apart, and never a tablet of which META says nothing.
 */
final class RowChanges {
  private static final int MOST_TRIES = 200;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** Decides by the cells of a row, none if there is no such row; throws if it must stay. */
  interface Check {
    void check(Bytes row, List<Cell> cells);
  }

  /** The check forbids it: not to be mistaken for a row that was changed since it was read. */
  private static final class Forbidden extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final SteleException reason;

    Forbidden(SteleException reason) {
      super(reason);
      this.reason = reason;
    }
  }

  private final SortedMap<Bytes, Consumer<CellBatchBuilder>> rows = new TreeMap<>();

  private final Set<Bytes> erased = new HashSet<>();

  /** Adds the erasure of a row. */
  void erase(Bytes row, Consumer<CellBatchBuilder> change) {
    erased.add(row);
    rows.merge(row, change, Consumer::andThen);
  }

  /** Adds what is to be done with a row. */
  void add(Bytes row, Consumer<CellBatchBuilder> change) {
    rows.merge(row, change, Consumer::andThen);
  }

  boolean isNone() {
    return rows.isEmpty();
  }

  /** All of it in one batch, for those who do not ask what the rows say. */
  CellBatchBuilder batch() {
    CellBatchBuilder batch = new CellBatchBuilder();
    rows.values().forEach(change -> change.accept(batch));
    return batch;
  }

  /**
   * Makes the changes; returns when they are durable.
   *
   * @return the newest transaction, as {@link MetaAccess#apply} answers it
   */
  long apply(MetaAccess access, String metaTable, Check check) {
    long newest = 0;
    for (List<Bytes> part : erasuresLast(access.together(metaTable, List.copyOf(rows.keySet())))) {
      long txn =
          untilNobodyInterferes(
              () -> {
                long read = read(access, metaTable, part, check);
                CellBatchBuilder batch = new CellBatchBuilder();
                part.forEach(row -> Objects.requireNonNull(rows.get(row)).accept(batch));
                return Futures.await(access.apply(metaTable, batch.build(), read, true));
              });
      newest = Math.max(newest, txn);
    }
    return newest;
  }

  private List<List<Bytes>> erasuresLast(List<List<Bytes>> parts) {
    return parts.stream().sorted(Comparator.comparing(erased::containsAll)).toList();
  }

  private static long read(MetaAccess access, String metaTable, List<Bytes> rows, Check check) {
    Map<Bytes, List<Cell>> stored = new HashMap<>();
    long txn =
        scan(
            access,
            metaTable,
            rows.stream().map(RowRange::row).toList(),
            false,
            rows.size(),
            cells -> {
              stored.put(cells.getFirst().row(), cells);
              return true;
            });
    for (Bytes row : rows) {
      forbidding(() -> check.check(row, stored.getOrDefault(row, List.of())));
    }
    return txn;
  }

  /** Runs a check within {@link #untilNobodyInterferes}: what it throws is final. */
  static void forbidding(Runnable check) {
    try {
      check.run();
    } catch (SteleException e) {
      throw new Forbidden(e);
    }
  }

  /** Reads, decides and writes, until no other write came in between. */
  static <T> T untilNobodyInterferes(Supplier<T> attempt) {
    for (int tries = 1; ; tries++) {
      try {
        return attempt.get();
      } catch (Forbidden e) {
        throw e.reason;
      } catch (ConflictException e) {
        if (tries == MOST_TRIES) {
          throw new UnavailableException(
              "META was changed by others during each of " + tries + " tries: " + e.getMessage(),
              e);
        }
        LockSupport.parkNanos(PAUSE_NANOS); // what is not durable yet is so soon
      }
    }
  }

  /**
   * Reads the newest version of every column, row by row.
   *
   * @param rows so many suffice; 0 for all
   * @param eachRow gets the cells of a row; false to end
   */
  static long scan(
      MetaAccess access,
      String metaTable,
      List<RowRange> ranges,
      boolean latest,
      int rows,
      Predicate<List<Cell>> eachRow) {
    ReadPredicate predicate = ReadPredicate.ALL.withRows(ranges).withHistory(1);
    List<Cell> row = new ArrayList<>();
    boolean[] ended = {false};
    long txn =
        access.scan(
            metaTable,
            predicate,
            latest,
            rows,
            cell -> {
              if (!row.isEmpty() && !row.getFirst().row().equals(cell.row())) {
                ended[0] = !eachRow.test(List.copyOf(row));
                row.clear();
              }
              row.add(cell);
              return !ended[0];
            });
    if (!ended[0] && !row.isEmpty()) {
      boolean _ = eachRow.test(List.copyOf(row));
    }
    return txn;
  }
}
