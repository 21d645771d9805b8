package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.RowRange;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What people ask of replicated tables beyond what all tables have. Any server answers. All methods
 * may take long, and fail as those of {@link TableAdmin} do; a table of another kind is {@code
 * InvalidRequest}.
 */
public interface Replicas {
  /** A table's partitions and how far their replicas are; of each server that answers. */
  Status status(String table);

  /** The METADATA file that is valid now, and who has it. */
  Metadata metadata(String table);

  /**
   * Makes a live server keep the METADATA file of a table, in addition to those that do.
   *
   * @param server its id or address
   */
  void joinMetadata(String table, String server);

  /**
   * Takes a server, live or not, out of those that keep the METADATA file of a table.
   *
   * @param server its id, or its address if it is live
   */
  void removeMetadata(String table, String server);

  /**
   * Takes a server that is lost for good out of all partitions of a table, also if those that are
   * left are no majority: then what only lost servers had acknowledged is lost.
   *
   * @param server its id
   * @return a line for each partition that says what may be lost, for people
   */
  List<String> removeServer(String table, String server);

  /**
   * Lists the tables that servers know in a metastore that has lost them, or has an older METADATA
   * of them. Tables whose drop is on record are left alone.
   *
   * @param force replaces METADATA that cannot be had even if a server that may have it is away
   * @return a line for each table and server, for people
   */
  List<String> adopt(boolean force);

  /**
   * Begins to split the partition that holds a row; returns when that is recorded.
   *
   * @param row the last row of the lower half; empty to let a replica choose by size
   * @return the row at which it is split
   */
  Bytes split(String table, Bytes at, Bytes row);

  /** Compares the replicas of every partition with rows of a range. */
  List<Difference> verify(String table, RowRange rows);

  /**
   * Brings replicas of a range together, whatever they have.
   *
   * @return how many cells had to be sent to some replica
   */
  long repair(String table, RowRange rows);

  /**
   * A table at one moment.
   *
   * @param servers all that take part in replicated tables, live or known by assignments
   */
  record Status(
      String table, int replicas, List<PartitionStatus> partitions, List<Server> servers) {}

  /**
   * A server.
   *
   * @param id of its data directory
   * @param address empty if it is not live
   * @param rack what it shares with servers that may fail together with it
   */
  record Server(
      String id, String address, long freeBytes, long totalBytes, Optional<String> rack) {}

  /**
   * A partition.
   *
   * @param first the row before its first; empty for the first partition
   * @param last its last row; none for the last partition
   * @param splitAt the last row of the lower half, while it is being split
   * @param scrubbed when its replicas were last compared and repaired by themselves
   */
  record PartitionStatus(
      String id,
      Bytes first,
      Optional<Bytes> last,
      Optional<Bytes> splitAt,
      List<ReplicaStatus> replicas,
      Optional<Instant> scrubbed) {}

  /**
   * A replica.
   *
   * @param assignment its id, unique for ever
   * @param role {@code serving}, {@code joining}, {@code lower half}, {@code upper half} or {@code
   *     leaving}
   * @param sequence of its newest change
   * @param bytes in files and memory
   * @param behind what it still has to send, by the assignment that waits for it
   * @param problem why its server did not answer; empty if it did
   */
  record ReplicaStatus(
      String server,
      String address,
      String assignment,
      String role,
      long sequence,
      long bytes,
      List<Behind> behind,
      String problem) {}

  /** How far one replica has sent its changes to another. */
  record Behind(String server, String assignment, long confirmed, long sequence) {}

  /**
   * A METADATA file.
   *
   * @param servers the metadata servers that the metastore names
   * @param text the partitions, for people
   */
  record Metadata(
      String table, String txn, long sequence, List<Server> servers, List<String> text) {}

  /**
   * A row that is not the same on all replicas.
   *
   * @param found a line for each replica, with its server and what it has
   */
  record Difference(String partition, Bytes row, List<String> found) {}
}
