package io.stele.engine;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.time.Clock;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.ChainHolder;
import io.stele.engine.chain.ChainHolder.Borrowed;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.merge.ColumnReader;
import io.stele.engine.merge.MergeCursor;
import io.stele.engine.merge.Resolution;
import io.stele.engine.merge.TimeHoldings;
import io.stele.engine.merge.VisibleCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Reads a chain that others replace meanwhile, without locks.
 *
 * <p>A read needs a chain and a transaction that fit: a chain that was borrowed before may lack a
 * mem fragment whose cells the transaction takes in, and one that was borrowed later may have been
 * compacted with no regard for a transaction that no snapshot holds open. So the chain is borrowed,
 * the transaction taken, and then the chain must still be the current one.
 */
final class ReadPath {
  private final ChainHolder holder;
  private final Resolution resolution;
  private final Clock clock;
  private final Runnable checkOpen;
  private volatile PurgePolicy purge;

  ReadPath(
      ChainHolder holder,
      Resolution resolution,
      PurgePolicy purge,
      Clock clock,
      Runnable checkOpen) {
    this.holder = holder;
    this.resolution = resolution;
    this.purge = purge;
    this.clock = clock;
    this.checkOpen = checkOpen;
  }

  /** For reads that begin from now on. */
  void setPurge(PurgePolicy newPurge) {
    purge = newPurge;
  }

  Optional<Bytes> get(Bytes row, Bytes family, Bytes qualifier, LongSupplier readTxn) {
    CellView column = CellView.beforeColumn(row, family, qualifier);
    while (true) {
      try (Borrowed borrowed = borrow()) {
        long txn = readTxn.getAsLong();
        if (holder.isCurrent(borrowed)) {
          return get(borrowed.chain(), column, txn);
        }
      }
    }
  }

  private Optional<Bytes> get(Chain chain, CellView column, long txn) {
    Optional<CellCursor> source = chain.rowCursor(column);
    if (source.isEmpty()) {
      return Optional.empty();
    }
    if (resolution.isByTime()) {
      return getByTime(chain, source.get(), column, txn);
    }
    return new ColumnReader(source.get(), txn, purge, now())
        .newestValue(column, chain.mayHoldWideErasures());
  }

  private Optional<Bytes> getByTime(Chain chain, CellCursor source, CellView column, long txn) {
    ColumnRange name = ColumnRange.column(column.family(), column.qualifier());
    ReadPredicate newest =
        ReadPredicate.rows(RowRange.row(column.row())).withColumns(name).withHistory(1);
    VisibleCursor cells =
        new VisibleCursor(
            source, resolution, chain.mayHoldWideErasures(), txn, newest, purge, now());
    return cells.next() ? Optional.of(cells.cell().value()) : Optional.empty();
  }

  Scan scan(ReadPredicate predicate, LongSupplier readTxn) {
    while (true) {
      Borrowed borrowed = borrow();
      try {
        long txn = readTxn.getAsLong();
        if (holder.isCurrent(borrowed)) {
          return scan(borrowed, predicate, txn);
        }
      } catch (RuntimeException e) {
        borrowed.close(); // nobody else will
        throw e;
      }
      borrowed.close();
    }
  }

  private Scan scan(Borrowed borrowed, ReadPredicate predicate, long txn) {
    Chain chain = borrowed.chain();
    VisibleCursor cells =
        new VisibleCursor(
            source(chain, predicate),
            resolution,
            chain.mayHoldWideErasures(),
            txn,
            predicate,
            purge,
            now());
    return new Scan(borrowed, cells, txn);
  }

  private CellCursor source(Chain chain, ReadPredicate predicate) {
    RowRange first = predicate.rows().getFirst();
    if (resolution.isByTime() && predicate.rows().size() == 1 && first.isOneRow()) {
      CellView row = CellView.beforeRow(first.from());
      return chain.rowCursor(row).orElseGet(() -> MergeCursor.of(List.of()));
    }
    // How many newer versions there are decides what max-history purges: they must not be skipped.
    long to = purge.countsHistory() ? Long.MAX_VALUE : predicate.timeTo();
    return chain.cursor(new TimeBounds(predicate.timeFrom(), to));
  }

  /** What a rewrite of all that came behind a transaction would keep. */
  StoredScan stored(RowRange rows, long afterTxn, LongSupplier readTxn) {
    while (true) {
      Borrowed borrowed = borrow();
      try {
        long txn = readTxn.getAsLong();
        if (holder.isCurrent(borrowed)) {
          return new StoredScan(borrowed, rows, afterTxn, txn, purge, now());
        }
      } catch (RuntimeException e) {
        borrowed.close(); // nobody else will
        throw e;
      }
      borrowed.close();
    }
  }

  /** Whether all cells of a batch are here, or said to be superfluous by others that are. */
  boolean hasAll(CellBatch batch, LongSupplier readTxn) {
    while (true) {
      try (Borrowed borrowed = borrow()) {
        long txn = readTxn.getAsLong();
        if (holder.isCurrent(borrowed)) {
          return new TimeHoldings(borrowed.chain()::rowCursor, txn, purge, now()).hasAll(batch);
        }
      }
    }
  }

  List<Cell> dump() {
    try (Borrowed borrowed = borrow();
        CellCursor cursor = borrowed.chain().cursor(TimeBounds.ALL)) {
      List<Cell> cells = new ArrayList<>();
      while (cursor.next()) {
        cells.add(cursor.cell().toCell());
      }
      return cells;
    }
  }

  /** Microseconds, if anything depends on them. */
  long now() {
    return purge.equals(PurgePolicy.NONE) ? 0 : clock.micros();
  }

  private Borrowed borrow() {
    Borrowed borrowed = holder.borrow();
    try {
      checkOpen.run();
    } catch (RuntimeException e) {
      borrowed.close();
      throw e;
    }
    return borrowed;
  }
}
