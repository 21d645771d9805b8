package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.Consistency;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.replicas.metadata.MetadataCache;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.push.LocalReplica;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Gets and scans, from the replica here or from a majority. */
final class Reads {
  private final Machinery machinery;
  private final Writes writes;

  Reads(Machinery machinery, Writes writes) {
    this.machinery = machinery;
    this.writes = writes;
  }

  CellPage read(
      String table,
      ReadPredicate predicate,
      ScanOptions options,
      int maxBytes,
      Consistency.Reads level) {
    if (level == Consistency.Reads.ONE) {
      MetadataCache.Known known = machinery.table(table);
      Bytes first = predicate.rows().getFirst().from();
      Partition partition = known.metadata().partitionOf(first);
      Bytes to = predicate.rows().getLast().to();
      Bytes last = partition.last().map(Bytes::successor).orElse(null);
      if (last == null || (to != null && to.compareTo(last) <= 0)) {
        return writes.member(known, partition, first).readable().read(predicate, options, maxBytes);
      }
    }
    try (TableScan scan = scan(table, predicate, options, level)) {
      return scan.next(maxBytes);
    }
  }

  TableScan scan(
      String table, ReadPredicate predicate, ScanOptions options, Consistency.Reads level) {
    return new PartitionsScan(
        (wanted, now, first) ->
            level == Consistency.Reads.ONE
                ? one(table, wanted, now, first)
                : majority(table, wanted, now, first),
        machinery.scans(),
        machinery.clock(),
        predicate,
        options);
  }

  private PartitionsScan.Part one(
      String table, ReadPredicate predicate, ScanOptions options, Bytes first) {
    MetadataCache.Known known = machinery.table(table);
    Partition partition = known.metadata().partitionOf(first);
    LocalReplica replica = writes.member(known, partition, first);
    TableScan scan = replica.readable().scan(within(predicate, partition), options);
    return new PartitionsScan.Part(scan, partition.last().map(Bytes::successor));
  }

  private PartitionsScan.Part majority(
      String table, ReadPredicate predicate, ScanOptions options, Bytes first) {
    MetadataCache.Known known = machinery.table(table);
    Partition partition = known.metadata().partitionOf(first);
    writes.member(known, partition, first);
    return new PartitionsScan.Part(
        new MajorityScan(machinery, known, partition, within(predicate, partition), options),
        partition.last().map(Bytes::successor));
  }

  private static ReadPredicate within(ReadPredicate predicate, Partition partition) {
    RowRange all = partition.rows();
    List<RowRange> rows =
        predicate.rows().stream()
            .map(each -> each.intersect(all))
            .flatMap(Optional<RowRange>::stream)
            .toList();
    return predicate.withRows(rows);
  }

  /** Partitions with rows of a range. */
  static Stream<Partition> partitions(MetadataCache.Known known, RowRange rows) {
    return known.metadata().partitions().stream()
        .filter(each -> each.rows().intersect(rows).isPresent());
  }
}
