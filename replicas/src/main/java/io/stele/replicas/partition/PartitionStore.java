package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
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

/**
 * The cells of one replica, durable on the local disk. What it holds is a set: changes may come in
 * any order and more than once, and what readers see depends only on which have come.
 */
public interface PartitionStore extends AutoCloseable {
  /** Merges cells; done when they are durable. Answers the sequence of the change. */
  CompletableFuture<Long> apply(CellBatch cells);

  /**
   * Merges cells and answers the sequence of the change, which is not durable yet. Sequences leave
   * none out, so that who is told of each change knows when it has all; 0 if nothing of it belongs
   * here.
   */
  long add(CellBatch cells);

  /** Done when all changes up to a sequence are durable; answers the newest that is. */
  CompletableFuture<Long> whenDurable(long sequence);

  /**
   * Why it cannot make changes durable any more: what it has grows stale, so it must not be served.
   * None as long as it can.
   */
  Optional<Throwable> failure();

  /** Whether the schema has all families of these cells; those of others would be left out. */
  boolean takes(CellBatch cells);

  /** Of the newest change, durable or not. After a restart it may be higher, never lower. */
  long sequence();

  /** Whether all these cells are here already, or hidden for good by others that are. */
  boolean hasAll(CellBatch cells);

  /**
   * Changes behind a sequence, packed again by key, erasures included: for those that are too far
   * behind to be told one by one. Only what a reader could still tell from its absence is left.
   *
   * @param rows of the partition that count
   */
  Changes changesSince(long sequence, RowRange rows);

  /** Changes to be sent; reads as of the moment at which it was made. */
  interface Changes extends AutoCloseable {
    /** All of them are included. */
    long upTo();

    /** The next cells, about so many bytes; none at the end. */
    Optional<CellBatch> next(int maxBytes);

    @Override
    void close();
  }

  /**
   * Takes over, with their sequences, the cells that another replica on this disk had up to a
   * sequence: for one that {@linkplain ReplicaStores#begin began behind} it.
   *
   * @param rows that count
   * @return how many cells it was
   * @throws java.util.concurrent.CancellationException if asked to stop; nothing has changed
   */
  long takeOver(PartitionStore other, RowRange rows, long upTo, BooleanSupplier cancelled);

  CellPage read(ReadPredicate predicate, ScanOptions options, int maxBytes);

  TableScan scan(ReadPredicate predicate, ScanOptions options);

  /**
   * What is stored of the rows and columns that a predicate wants, as much as fits; its times and
   * history do not count.
   */
  StoredCells stored(ReadPredicate predicate, int maxBytes);

  List<Digest> digests(RowRange rows, List<Bytes> cuts);

  /** Rows that part a range into about equal pieces, ascending; fewer if there are few rows. */
  List<Bytes> cuts(RowRange rows, int pieces);

  /** In files and memory. */
  long bytes();

  void alter(TableSchema schema);

  void flush();

  void compact();

  @Override
  void close();
}
