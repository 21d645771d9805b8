package io.stele.replicas.metadata;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The partition map of a table as of one transaction: what a METADATA file holds.
 *
 * <p>Invariant: the partitions are in the order of their rows, and every row is in exactly one; no
 * id of a partition, a half or an assignment is there twice.
 *
 * @param table its id, which no table had before or will have after it
 * @param txn the random name of the transaction that made it
 * @param sequence one more than that of the transaction it is based on
 */
public record Metadata(String table, String txn, long sequence, List<Partition> partitions) {
  public Metadata {
    partitions = List.copyOf(partitions);
    Bytes end = Bytes.EMPTY;
    boolean ended = false;
    for (Partition partition : partitions) {
      if (ended || !partition.first().equals(end)) {
        throw new InvalidRequestException(
            "partition "
                + partition.id()
                + " begins behind "
                + partition.first()
                + ": the one before it ends at "
                + (ended ? "the end of the table" : end));
      }
      ended = partition.last().isEmpty();
      end = partition.last().orElse(Bytes.EMPTY);
    }
    if (!ended) {
      throw new InvalidRequestException("metadata " + txn + " has no partition for the last rows");
    }
    checkIds(partitions);
  }

  /** That of a new table: one partition has all rows. */
  public static Metadata first(
      String table, String txn, String partition, List<Assignment> members) {
    return new Metadata(
        table,
        txn,
        1,
        List.of(
            new Partition(
                partition, Bytes.EMPTY, Optional.empty(), members, List.of(), Optional.empty())));
  }

  private static void checkIds(List<Partition> partitions) {
    Set<String> ids = new HashSet<>();
    Set<String> assignments = new HashSet<>();
    for (Partition partition : partitions) {
      checkNew(ids, "partition", partition.id());
      partition
          .split()
          .ifPresent(
              split -> {
                checkNew(ids, "half", split.lower().id());
                checkNew(ids, "half", split.upper().id());
              });
      partition.assignments().forEach(each -> checkNew(assignments, "assignment", each.id()));
    }
  }

  private static void checkNew(Set<String> known, String what, String id) {
    if (id.isEmpty() || !known.add(id)) {
      throw new InvalidRequestException(
          what + " \"" + id + "\": its id must not be empty, nor that of another");
    }
  }

  /** The ids of all servers that have to do with it. */
  public Set<String> servers() {
    Set<String> servers = new TreeSet<>();
    partitions.forEach(each -> each.assignments().forEach(a -> servers.add(a.server())));
    return servers;
  }

  public Partition partitionOf(Bytes row) {
    int low = 0;
    int high = partitions.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      Optional<Bytes> last = partitions.get(middle).last();
      if (last.isPresent() && last.get().compareTo(row) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return partitions.get(low);
  }

  public Optional<Partition> partition(String id) {
    return partitions.stream().filter(each -> each.id().equals(id)).findFirst();
  }
}
