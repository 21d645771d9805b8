package io.stele.replicas.metadata;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.util.List;
import java.util.Optional;

/**
 * The partition map of a table as of one transaction: what a METADATA file holds.
 *
 * <p>Invariant: the partitions are in the order of their rows, and every row is in exactly one.
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
