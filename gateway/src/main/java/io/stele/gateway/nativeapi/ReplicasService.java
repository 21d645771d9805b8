package io.stele.gateway.nativeapi;

import io.grpc.stub.StreamObserver;
import io.stele.protocol.v1.AdoptTablesAnswer;
import io.stele.protocol.v1.AdoptTablesRequest;
import io.stele.protocol.v1.MetadataServerRequest;
import io.stele.protocol.v1.RemoveLostServerAnswer;
import io.stele.protocol.v1.RepairAnswer;
import io.stele.protocol.v1.ReplicaDifferences;
import io.stele.protocol.v1.ReplicasGrpc;
import io.stele.protocol.v1.ReplicasMetadata;
import io.stele.protocol.v1.ReplicasRange;
import io.stele.protocol.v1.ReplicasStatus;
import io.stele.protocol.v1.SplitTabletRequest;
import io.stele.protocol.v1.SplitTabletResponse;
import io.stele.protocol.v1.TableDone;
import io.stele.protocol.v1.TableRequest;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WirePredicates;
import io.stele.protocol.wire.WireReplicas;
import java.util.concurrent.ExecutorService;

/** The native service over {@link io.stele.base.table.Replicas}. */
final class ReplicasService extends ReplicasGrpc.ReplicasImplBase {
  private final Backend backend;
  private final BlockingCalls calls;

  ReplicasService(Backend backend, ExecutorService blocking) {
    this.backend = backend;
    this.calls = new BlockingCalls(blocking);
  }

  @Override
  public void status(TableRequest request, StreamObserver<ReplicasStatus> caller) {
    calls.answer(caller, () -> WireReplicas.toWire(backend.replicas().status(request.getTable())));
  }

  @Override
  public void metadata(TableRequest request, StreamObserver<ReplicasMetadata> caller) {
    calls.answer(
        caller, () -> WireReplicas.toWire(backend.replicas().metadata(request.getTable())));
  }

  @Override
  public void joinMetadataServer(MetadataServerRequest request, StreamObserver<TableDone> caller) {
    calls.done(
        caller, () -> backend.replicas().joinMetadata(request.getTable(), request.getServer()));
  }

  @Override
  public void removeMetadataServer(
      MetadataServerRequest request, StreamObserver<TableDone> caller) {
    calls.done(
        caller, () -> backend.replicas().removeMetadata(request.getTable(), request.getServer()));
  }

  @Override
  public void removeLostServer(
      MetadataServerRequest request, StreamObserver<RemoveLostServerAnswer> caller) {
    calls.answer(
        caller,
        () ->
            RemoveLostServerAnswer.newBuilder()
                .addAllLines(
                    backend.replicas().removeServer(request.getTable(), request.getServer()))
                .build());
  }

  @Override
  public void adoptTables(AdoptTablesRequest request, StreamObserver<AdoptTablesAnswer> caller) {
    calls.answer(
        caller,
        () ->
            AdoptTablesAnswer.newBuilder()
                .addAllLines(backend.replicas().adopt(request.getForce()))
                .build());
  }

  @Override
  public void split(SplitTabletRequest request, StreamObserver<SplitTabletResponse> caller) {
    calls.answer(
        caller,
        () ->
            SplitTabletResponse.newBuilder()
                .setRow(
                    WireCells.toWire(
                        backend
                            .replicas()
                            .split(
                                request.getTable(),
                                WireCells.bytes(request.getAt()),
                                WireCells.bytes(request.getRow()))))
                .build());
  }

  @Override
  public void verify(ReplicasRange request, StreamObserver<ReplicaDifferences> caller) {
    calls.answer(
        caller,
        () ->
            WireReplicas.toWire(
                backend
                    .replicas()
                    .verify(request.getTable(), WirePredicates.rows(request.getRows()))));
  }

  @Override
  public void repair(ReplicasRange request, StreamObserver<RepairAnswer> caller) {
    calls.answer(
        caller,
        () ->
            RepairAnswer.newBuilder()
                .setCells(
                    backend
                        .replicas()
                        .repair(request.getTable(), WirePredicates.rows(request.getRows())))
                .build());
  }
}
