package io.stele.replicas.push;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.partition.Digest;
import io.stele.replicas.partition.StoredCells;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What servers ask each other about the replicas that they have. Futures end within a bounded time,
 * with {@code NotServing} where the replica is not there, {@code Unavailable} or {@code
 * OutcomeUnknown} where there is no answer.
 */
public interface ReplicaPeer {
  /** Hands over changes; answered when they are durable there. */
  CompletableFuture<Push.Answer> push(Push push);

  /** How far the replicas of a partition that the server has are. */
  CompletableFuture<List<Push.Progress>> progress(String table, String partition);

  /**
   * What is stored of the rows and columns that a predicate wants, as much as fits.
   *
   * @param predicate with one range of rows; its times and history do not count
   */
  CompletableFuture<Stored> stored(
      String table, String partition, ReadPredicate predicate, int maxBytes);

  /**
   * What a replica has stored.
   *
   * @param metadata the sequence of the METADATA that it knew after it had read the cells
   * @param clock its time, by its {@link HybridClock}
   */
  record Stored(StoredCells cells, long metadata, long clock) {}

  /** Digests of the visible cells of some rows, cut at the given rows, ascending. */
  CompletableFuture<List<Digest>> digests(
      String table, String partition, RowRange rows, List<Bytes> cuts);

  /** Merges cells into a replica outside of the order of changes: what a read found missing. */
  CompletableFuture<Void> repair(String table, String partition, Bytes cells);

  /**
   * Fills a replica that was lost, from the one that the server has of a partition.
   *
   * @param partition that of the one that fills
   * @param to the assignment of the lost one
   * @param store the name of the store to be filled
   * @return whether that has everything by now that the server's replica had when first asked
   */
  CompletableFuture<Boolean> fill(String table, String partition, Assignment to, String store);

  /** Begins to split, as a replica of the partition; empty row to choose by size. */
  CompletableFuture<Bytes> split(String table, String partition, Bytes row);

  /** Flushes, or merges the files of, all replicas of a table that the server has. */
  CompletableFuture<Void> upkeep(String table, boolean compact);
}
