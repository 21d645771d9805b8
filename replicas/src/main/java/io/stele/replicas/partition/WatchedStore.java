package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A store whose owner learns of corrupt data, whoever reads it: clients, other replicas, or work in
 * the background.
 */
public final class WatchedStore implements PartitionStore {
  private final PartitionStore store;
  private final Function<CorruptDataException, SteleException> found;

  /**
   * Watches a store, and closes it when closed.
   *
   * @param found learns what a read found, on the thread that reads; gives what the reader is told
   */
  public WatchedStore(PartitionStore store, Function<CorruptDataException, SteleException> found) {
    this.store = store;
    this.found = found;
  }

  private <T> T watched(Supplier<T> read) {
    try {
      return read.get();
    } catch (CorruptDataException e) {
      throw found.apply(e);
    }
  }

  private void watched(Runnable work) {
    watched(
        () -> {
          work.run();
          return true;
        });
  }

  // ---- changes

  @Override
  public CompletableFuture<Long> apply(CellBatch cells) {
    return store.apply(cells);
  }

  @Override
  public long add(CellBatch cells) {
    return store.add(cells);
  }

  @Override
  public CompletableFuture<Long> whenDurable(long sequence) {
    return store.whenDurable(sequence);
  }

  @Override
  public Optional<Throwable> failure() {
    return store.failure();
  }

  @Override
  public boolean takes(CellBatch cells) {
    return store.takes(cells);
  }

  @Override
  public long sequence() {
    return store.sequence();
  }

  @Override
  public boolean hasAll(CellBatch cells) {
    return watched(() -> store.hasAll(cells));
  }

  @Override
  public Changes changesSince(long sequence, RowRange rows) {
    Changes changes = watched(() -> store.changesSince(sequence, rows));
    return new Changes() {
      @Override
      public long upTo() {
        return changes.upTo();
      }

      @Override
      public Optional<CellBatch> next(int maxBytes) {
        return watched(() -> changes.next(maxBytes));
      }

      @Override
      public void close() {
        changes.close();
      }
    };
  }

  /** What is corrupt is at the other one, which learns of it. */
  @Override
  public long takeOver(PartitionStore other, RowRange rows, long upTo, BooleanSupplier cancelled) {
    return other instanceof WatchedStore source
        ? source.watched(() -> store.takeOver(source.store, rows, upTo, cancelled))
        : store.takeOver(other, rows, upTo, cancelled);
  }

  // ---- reading

  @Override
  public CellPage read(ReadPredicate predicate, ScanOptions options, int maxBytes) {
    return watched(() -> store.read(predicate, options, maxBytes));
  }

  @Override
  public TableScan scan(ReadPredicate predicate, ScanOptions options) {
    TableScan scan = watched(() -> store.scan(predicate, options));
    return new TableScan() {
      @Override
      public long txn() {
        return scan.txn();
      }

      @Override
      public CellPage next(int maxBytes) {
        return watched(() -> scan.next(maxBytes));
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }

  @Override
  public StoredCells stored(ReadPredicate predicate, int maxBytes) {
    return watched(() -> store.stored(predicate, maxBytes));
  }

  @Override
  public List<Digest> digests(RowRange rows, List<Bytes> cuts) {
    return watched(() -> store.digests(rows, cuts));
  }

  @Override
  public List<Bytes> cuts(RowRange rows, int pieces) {
    return watched(() -> store.cuts(rows, pieces));
  }

  // ---- upkeep

  @Override
  public long bytes() {
    return store.bytes();
  }

  @Override
  public void alter(TableSchema schema) {
    store.alter(schema);
  }

  @Override
  public void flush() {
    watched(store::flush);
  }

  @Override
  public void compact() {
    watched(store::compact);
  }

  @Override
  public void close() {
    store.close();
  }
}
