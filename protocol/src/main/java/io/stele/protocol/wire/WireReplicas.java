package io.stele.protocol.wire;

import com.google.protobuf.ByteString;
import io.stele.base.bytes.Bytes;
import io.stele.base.table.Replicas;
import io.stele.protocol.v1.PartitionStatus;
import io.stele.protocol.v1.ReplicaBehind;
import io.stele.protocol.v1.ReplicaDifference;
import io.stele.protocol.v1.ReplicaDifferences;
import io.stele.protocol.v1.ReplicaServer;
import io.stele.protocol.v1.ReplicaStatus;
import io.stele.protocol.v1.ReplicasMetadata;
import io.stele.protocol.v1.ReplicasStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** What people are told about replicas, on the wire. */
public final class WireReplicas {
  private WireReplicas() {}

  public static ReplicasStatus toWire(Replicas.Status status) {
    return ReplicasStatus.newBuilder()
        .setTable(status.table())
        .setReplicas(status.replicas())
        .addAllPartitions(status.partitions().stream().map(WireReplicas::toWire).toList())
        .addAllServers(status.servers().stream().map(WireReplicas::toWire).toList())
        .build();
  }

  public static Replicas.Status status(ReplicasStatus wire) {
    return new Replicas.Status(
        wire.getTable(),
        wire.getReplicas(),
        wire.getPartitionsList().stream().map(WireReplicas::partition).toList(),
        wire.getServersList().stream().map(WireReplicas::server).toList());
  }

  private static ReplicaServer toWire(Replicas.Server server) {
    ReplicaServer.Builder wire =
        ReplicaServer.newBuilder()
            .setId(server.id())
            .setAddress(server.address())
            .setFreeBytes(server.freeBytes())
            .setTotalBytes(server.totalBytes());
    server.rack().ifPresent(wire::setRack);
    return wire.build();
  }

  private static Replicas.Server server(ReplicaServer wire) {
    return new Replicas.Server(
        wire.getId(),
        wire.getAddress(),
        wire.getFreeBytes(),
        wire.getTotalBytes(),
        wire.hasRack() ? Optional.of(wire.getRack()) : Optional.empty());
  }

  private static PartitionStatus toWire(Replicas.PartitionStatus partition) {
    PartitionStatus.Builder wire =
        PartitionStatus.newBuilder()
            .setId(partition.id())
            .setFirst(WireCells.toWire(partition.first()));
    partition.last().ifPresent(row -> wire.setLast(WireCells.toWire(row)));
    partition.splitAt().ifPresent(row -> wire.setSplitAt(WireCells.toWire(row)));
    partition.replicas().forEach(replica -> wire.addReplicas(toWire(replica)));
    partition
        .scrubbed()
        .ifPresent(at -> wire.setScrubbed(ChronoUnit.MICROS.between(Instant.EPOCH, at)));
    return wire.build();
  }

  private static Replicas.PartitionStatus partition(PartitionStatus wire) {
    return new Replicas.PartitionStatus(
        wire.getId(),
        WireCells.bytes(wire.getFirst()),
        row(wire.hasLast(), wire.getLast()),
        row(wire.hasSplitAt(), wire.getSplitAt()),
        wire.getReplicasList().stream().map(WireReplicas::replica).toList(),
        wire.hasScrubbed()
            ? Optional.of(Instant.EPOCH.plus(wire.getScrubbed(), ChronoUnit.MICROS))
            : Optional.empty());
  }

  private static Optional<Bytes> row(boolean present, ByteString wire) {
    return present ? Optional.of(WireCells.bytes(wire)) : Optional.empty();
  }

  private static ReplicaStatus toWire(Replicas.ReplicaStatus replica) {
    ReplicaStatus.Builder wire =
        ReplicaStatus.newBuilder()
            .setServer(replica.server())
            .setAddress(replica.address())
            .setAssignment(replica.assignment())
            .setRole(replica.role())
            .setSequence(replica.sequence())
            .setBytes(replica.bytes())
            .setProblem(replica.problem());
    for (Replicas.Behind behind : replica.behind()) {
      wire.addBehind(
          ReplicaBehind.newBuilder()
              .setServer(behind.server())
              .setAssignment(behind.assignment())
              .setConfirmed(behind.confirmed())
              .setSequence(behind.sequence()));
    }
    return wire.build();
  }

  private static Replicas.ReplicaStatus replica(ReplicaStatus wire) {
    return new Replicas.ReplicaStatus(
        wire.getServer(),
        wire.getAddress(),
        wire.getAssignment(),
        wire.getRole(),
        wire.getSequence(),
        wire.getBytes(),
        wire.getBehindList().stream()
            .map(
                each ->
                    new Replicas.Behind(
                        each.getServer(),
                        each.getAssignment(),
                        each.getConfirmed(),
                        each.getSequence()))
            .toList(),
        wire.getProblem());
  }

  public static ReplicasMetadata toWire(Replicas.Metadata metadata) {
    return ReplicasMetadata.newBuilder()
        .setTable(metadata.table())
        .setTxn(metadata.txn())
        .setSequence(metadata.sequence())
        .addAllServers(metadata.servers().stream().map(WireReplicas::toWire).toList())
        .addAllText(metadata.text())
        .build();
  }

  public static Replicas.Metadata metadata(ReplicasMetadata wire) {
    return new Replicas.Metadata(
        wire.getTable(),
        wire.getTxn(),
        wire.getSequence(),
        wire.getServersList().stream().map(WireReplicas::server).toList(),
        List.copyOf(wire.getTextList()));
  }

  public static ReplicaDifferences toWire(List<Replicas.Difference> differences) {
    ReplicaDifferences.Builder wire = ReplicaDifferences.newBuilder();
    for (Replicas.Difference difference : differences) {
      wire.addDifferences(
          ReplicaDifference.newBuilder()
              .setPartition(difference.partition())
              .setRow(WireCells.toWire(difference.row()))
              .addAllFound(difference.found()));
    }
    return wire.build();
  }

  public static List<Replicas.Difference> differences(ReplicaDifferences wire) {
    return wire.getDifferencesList().stream()
        .map(
            each ->
                new Replicas.Difference(
                    each.getPartition(),
                    WireCells.bytes(each.getRow()),
                    List.copyOf(each.getFoundList())))
        .toList();
  }
}
