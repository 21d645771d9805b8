package io.stele.gateway.nativeapi;

import io.stele.base.error.InvalidRequestException;
import io.stele.protocol.v1.BeginSplit;
import io.stele.protocol.v1.ChangeMetadataRequest;
import io.stele.protocol.v1.FinalizeJoin;
import io.stele.protocol.v1.FinalizeSplit;
import io.stele.protocol.v1.JoinPartition;
import io.stele.protocol.v1.JoiningReplica;
import io.stele.protocol.v1.LeavePartition;
import io.stele.protocol.v1.PartitionHalf;
import io.stele.protocol.v1.PartitionMap;
import io.stele.protocol.v1.PartitionSplit;
import io.stele.protocol.v1.ReplicaAssignment;
import io.stele.protocol.v1.ReplicaPartition;
import io.stele.protocol.wire.WireCells;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.Partition;
import java.util.List;
import java.util.Optional;

/** Partition maps and what becomes of them, on the wire. */
final class MetadataWire {
  private MetadataWire() {}

  static ReplicaAssignment toWire(Assignment assignment) {
    return ReplicaAssignment.newBuilder()
        .setServer(assignment.server())
        .setId(assignment.id())
        .build();
  }

  static Assignment assignment(ReplicaAssignment wire) {
    return new Assignment(wire.getServer(), wire.getId());
  }

  // ---- changes

  static ChangeMetadataRequest toWire(String table, MetadataChange change) {
    ChangeMetadataRequest.Builder wire =
        ChangeMetadataRequest.newBuilder()
            .setTable(table)
            .setBase(change.base())
            .setTxn(change.txn());
    switch (change.operation()) {
      case MetadataChange.BeginSplit(var partition, var split) ->
          wire.setBeginSplit(
              BeginSplit.newBuilder().setPartition(partition).setSplit(toWire(split)));
      case MetadataChange.FinalizeSplit(var partition, var lower, var upper) ->
          wire.setFinalizeSplit(
              FinalizeSplit.newBuilder().setPartition(partition).setLower(lower).setUpper(upper));
      case MetadataChange.Join(var partition, var assignment, var replaces) -> {
        JoinPartition.Builder join =
            JoinPartition.newBuilder().setPartition(partition).setAssignment(toWire(assignment));
        replaces.ifPresent(join::setReplaces);
        wire.setJoin(join);
      }
      case MetadataChange.FinalizeJoin(var partition, var assignment) ->
          wire.setFinalizeJoin(
              FinalizeJoin.newBuilder().setPartition(partition).setAssignment(assignment));
      case MetadataChange.Leave(var partition, var assignments) ->
          wire.setLeave(
              LeavePartition.newBuilder().setPartition(partition).addAllAssignments(assignments));
    }
    return wire.build();
  }

  static MetadataChange change(ChangeMetadataRequest wire) {
    return new MetadataChange(wire.getBase(), wire.getTxn(), operation(wire));
  }

  private static MetadataChange.Operation operation(ChangeMetadataRequest wire) {
    return switch (wire.getOperationCase()) {
      case BEGIN_SPLIT ->
          new MetadataChange.BeginSplit(
              wire.getBeginSplit().getPartition(), split(wire.getBeginSplit().getSplit()));
      case FINALIZE_SPLIT ->
          new MetadataChange.FinalizeSplit(
              wire.getFinalizeSplit().getPartition(),
              wire.getFinalizeSplit().getLower(),
              wire.getFinalizeSplit().getUpper());
      case JOIN ->
          new MetadataChange.Join(
              wire.getJoin().getPartition(),
              assignment(wire.getJoin().getAssignment()),
              wire.getJoin().hasReplaces()
                  ? Optional.of(wire.getJoin().getReplaces())
                  : Optional.empty());
      case FINALIZE_JOIN ->
          new MetadataChange.FinalizeJoin(
              wire.getFinalizeJoin().getPartition(), wire.getFinalizeJoin().getAssignment());
      case LEAVE ->
          new MetadataChange.Leave(
              wire.getLeave().getPartition(), List.copyOf(wire.getLeave().getAssignmentsList()));
      case OPERATION_NOT_SET ->
          throw new InvalidRequestException(
              "change "
                  + wire.getTxn()
                  + " of METADATA of table "
                  + wire.getTable()
                  + " says nothing that this server knows");
    };
  }

  // ---- maps

  static PartitionMap toWire(Metadata metadata) {
    return PartitionMap.newBuilder()
        .setTable(metadata.table())
        .setTxn(metadata.txn())
        .setSequence(metadata.sequence())
        .addAllPartitions(metadata.partitions().stream().map(MetadataWire::toWire).toList())
        .build();
  }

  static Metadata metadata(PartitionMap wire) {
    return new Metadata(
        wire.getTable(),
        wire.getTxn(),
        wire.getSequence(),
        wire.getPartitionsList().stream().map(MetadataWire::partition).toList());
  }

  private static ReplicaPartition toWire(Partition partition) {
    ReplicaPartition.Builder wire =
        ReplicaPartition.newBuilder()
            .setId(partition.id())
            .setFirst(WireCells.toWire(partition.first()))
            .addAllMembers(partition.members().stream().map(MetadataWire::toWire).toList());
    partition.last().ifPresent(last -> wire.setLast(WireCells.toWire(last)));
    for (Partition.Joining joining : partition.joining()) {
      JoiningReplica.Builder each =
          JoiningReplica.newBuilder().setAssignment(toWire(joining.assignment()));
      joining.replaces().ifPresent(each::setReplaces);
      wire.addJoining(each);
    }
    partition.split().ifPresent(split -> wire.setSplit(toWire(split)));
    return wire.build();
  }

  private static Partition partition(ReplicaPartition wire) {
    return new Partition(
        wire.getId(),
        WireCells.bytes(wire.getFirst()),
        wire.hasLast() ? Optional.of(WireCells.bytes(wire.getLast())) : Optional.empty(),
        assignments(wire.getMembersList()),
        wire.getJoiningList().stream()
            .map(
                each ->
                    new Partition.Joining(
                        assignment(each.getAssignment()),
                        each.hasReplaces() ? Optional.of(each.getReplaces()) : Optional.empty()))
            .toList(),
        wire.hasSplit() ? Optional.of(split(wire.getSplit())) : Optional.empty());
  }

  private static List<Assignment> assignments(List<ReplicaAssignment> wire) {
    return wire.stream().map(MetadataWire::assignment).toList();
  }

  private static PartitionSplit toWire(Partition.Split split) {
    return PartitionSplit.newBuilder()
        .setAt(WireCells.toWire(split.at()))
        .setLower(toWire(split.lower()))
        .setUpper(toWire(split.upper()))
        .build();
  }

  private static Partition.Split split(PartitionSplit wire) {
    return new Partition.Split(
        WireCells.bytes(wire.getAt()), half(wire.getLower()), half(wire.getUpper()));
  }

  private static PartitionHalf toWire(Partition.Half half) {
    return PartitionHalf.newBuilder()
        .setId(half.id())
        .addAllMembers(half.members().stream().map(MetadataWire::toWire).toList())
        .build();
  }

  private static Partition.Half half(PartitionHalf wire) {
    return new Partition.Half(wire.getId(), assignments(wire.getMembersList()));
  }
}
