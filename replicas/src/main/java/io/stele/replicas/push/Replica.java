package io.stele.replicas.push;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.RowRange;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.partition.ReplicaName;
import java.util.Optional;

/**
 * Which replica it is: for ever, whatever becomes of its partition.
 *
 * @param table the table's id
 * @param partition the partition's, which may no longer be one
 * @param assignment of this server to it
 * @param first the row before its first; empty for the table's first
 * @param last its last row; none for the table's last
 */
public record Replica(
    String table, String partition, Assignment assignment, Bytes first, Optional<Bytes> last) {
  public RowRange rows() {
    return new RowRange(
        first.isEmpty() ? Bytes.EMPTY : first.successor(), last.map(Bytes::successor).orElse(null));
  }

  /** Of its directory. */
  public ReplicaName name() {
    return new ReplicaName(table, partition, assignment.id());
  }

  @Override
  public String toString() {
    return table + "/" + partition + "." + assignment.id();
  }
}
