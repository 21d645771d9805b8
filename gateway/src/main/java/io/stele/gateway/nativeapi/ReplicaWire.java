package io.stele.gateway.nativeapi;

import com.google.protobuf.ByteString;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.protocol.v1.CellsDigest;
import io.stele.protocol.v1.ConfirmedSequence;
import io.stele.protocol.v1.DigestsAnswer;
import io.stele.protocol.v1.PushAnswer;
import io.stele.protocol.v1.PushRequest;
import io.stele.protocol.v1.ReplicaProgress;
import io.stele.protocol.v1.ReplicaSource;
import io.stele.protocol.v1.ReplicasProgress;
import io.stele.protocol.v1.StoredCellsAnswer;
import io.stele.protocol.wire.WireCells;
import io.stele.replicas.partition.Digest;
import io.stele.replicas.partition.StoredCells;
import io.stele.replicas.push.Push;
import io.stele.replicas.push.ReplicaPeer;
import java.util.List;
import java.util.Optional;

/** What replicas tell each other, on the wire. */
final class ReplicaWire {
  private ReplicaWire() {}

  static PushRequest toWire(Push push) {
    PushRequest.Builder wire =
        PushRequest.newBuilder()
            .setTable(push.table())
            .setPartition(push.partition())
            .setTo(MetadataWire.toWire(push.to()))
            .setFrom(MetadataWire.toWire(push.from()))
            .setMetadata(push.metadata())
            .setUpTo(push.upTo())
            .setCatchUp(push.catchUp())
            .setClock(push.clock());
    push.batches().forEach(batch -> wire.addBatches(WireCells.toWire(batch)));
    push.confirmed().forEach(each -> wire.addConfirmed(toWire(each)));
    return wire.build();
  }

  static Push push(PushRequest wire) {
    return new Push(
        wire.getTable(),
        wire.getPartition(),
        MetadataWire.assignment(wire.getTo()),
        MetadataWire.assignment(wire.getFrom()),
        wire.getMetadata(),
        wire.getUpTo(),
        wire.getCatchUp(),
        wire.getBatchesList().stream().map(WireCells::cells).toList(),
        wire.getConfirmedList().stream().map(ReplicaWire::confirmed).toList(),
        wire.getClock());
  }

  static PushAnswer toWire(Push.Answer answer) {
    return PushAnswer.newBuilder()
        .setMetadata(answer.metadata())
        .setClock(answer.clock())
        .setStore(answer.store())
        .build();
  }

  static Push.Answer answer(PushAnswer wire) {
    return new Push.Answer(wire.getMetadata(), wire.getClock(), wire.getStore());
  }

  private static ConfirmedSequence toWire(Push.Confirmed confirmed) {
    return ConfirmedSequence.newBuilder()
        .setAssignment(confirmed.assignment())
        .setSequence(confirmed.sequence())
        .setOwn(confirmed.own())
        .build();
  }

  private static Push.Confirmed confirmed(ConfirmedSequence wire) {
    return new Push.Confirmed(wire.getAssignment(), wire.getSequence(), wire.getOwn());
  }

  static ReplicasProgress progressToWire(List<Push.Progress> replicas) {
    ReplicasProgress.Builder wire = ReplicasProgress.newBuilder();
    for (Push.Progress progress : replicas) {
      ReplicaProgress.Builder each =
          ReplicaProgress.newBuilder()
              .setAssignment(MetadataWire.toWire(progress.assignment()))
              .setMetadata(progress.metadata())
              .setSequence(progress.sequence())
              .setBytes(progress.bytes())
              .setFilling(progress.filling())
              .setStore(progress.store())
              .setScrubbed(progress.scrubbed());
      progress.confirmed().forEach(confirmed -> each.addConfirmed(toWire(confirmed)));
      progress.source().ifPresent(source -> each.setSource(toWire(source)));
      wire.addReplicas(each);
    }
    return wire.build();
  }

  static List<Push.Progress> progress(ReplicasProgress wire) {
    return wire.getReplicasList().stream()
        .map(
            each ->
                new Push.Progress(
                    MetadataWire.assignment(each.getAssignment()),
                    each.getMetadata(),
                    each.getSequence(),
                    each.getConfirmedList().stream().map(ReplicaWire::confirmed).toList(),
                    each.getBytes(),
                    each.hasSource() ? Optional.of(source(each.getSource())) : Optional.empty(),
                    each.getFilling(),
                    each.getStore(),
                    each.getScrubbed()))
        .toList();
  }

  private static ReplicaSource toWire(Push.Source source) {
    return ReplicaSource.newBuilder()
        .setPartition(source.partition())
        .setAssignment(source.assignment())
        .setDone(source.done())
        .build();
  }

  private static Push.Source source(ReplicaSource wire) {
    return new Push.Source(wire.getPartition(), wire.getAssignment(), wire.getDone());
  }

  static StoredCellsAnswer toWire(ReplicaPeer.Stored stored) {
    StoredCellsAnswer.Builder wire =
        StoredCellsAnswer.newBuilder().setMetadata(stored.metadata()).setClock(stored.clock());
    stored.cells().cells().ifPresent(cells -> wire.setCells(WireCells.toWire(cells)));
    stored.cells().end().ifPresent(end -> wire.setEnd(WireCells.toWire(end)));
    return wire.build();
  }

  static ReplicaPeer.Stored stored(StoredCellsAnswer wire) {
    return new ReplicaPeer.Stored(
        new StoredCells(
            wire.hasCells() ? Optional.of(WireCells.cells(wire.getCells())) : Optional.empty(),
            wire.hasEnd() ? Optional.of(WireCells.bytes(wire.getEnd())) : Optional.empty()),
        wire.getMetadata(),
        wire.getClock());
  }

  static DigestsAnswer digestsToWire(List<Digest> digests) {
    DigestsAnswer.Builder wire = DigestsAnswer.newBuilder();
    for (Digest digest : digests) {
      wire.addDigests(
          CellsDigest.newBuilder()
              .setRows(digest.rows())
              .setCells(digest.cells())
              .setHash(WireCells.toWire(digest.hash())));
    }
    return wire.build();
  }

  static List<Digest> digests(DigestsAnswer wire) {
    return wire.getDigestsList().stream()
        .map(each -> new Digest(each.getRows(), each.getCells(), WireCells.bytes(each.getHash())))
        .toList();
  }

  /** Rows that ascend, as those who cut by them rely on it. */
  static List<Bytes> cuts(List<ByteString> wire) {
    List<Bytes> cuts = wire.stream().map(WireCells::bytes).toList();
    for (int i = 1; i < cuts.size(); i++) {
      if (cuts.get(i - 1).compareTo(cuts.get(i)) >= 0) {
        throw new InvalidRequestException(
            "cuts at " + cuts.get(i - 1) + " and then " + cuts.get(i) + ": must ascend");
      }
    }
    return cuts;
  }
}
