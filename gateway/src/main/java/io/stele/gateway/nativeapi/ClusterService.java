package io.stele.gateway.nativeapi;

import io.grpc.stub.StreamObserver;
import io.stele.protocol.v1.BalanceRequest;
import io.stele.protocol.v1.BalanceResponse;
import io.stele.protocol.v1.ClusterGarbage;
import io.stele.protocol.v1.ClusterGrpc;
import io.stele.protocol.v1.ClusterStatus;
import io.stele.protocol.v1.ClusterStatusRequest;
import io.stele.protocol.v1.CollectFilesRequest;
import io.stele.protocol.v1.DrainRequest;
import io.stele.protocol.v1.DrainResponse;
import io.stele.protocol.v1.EmptiedTrash;
import io.stele.protocol.v1.EmptyTrashRequest;
import io.stele.protocol.v1.ListTrashRequest;
import io.stele.protocol.v1.MoveTabletRequest;
import io.stele.protocol.v1.RestoreFilesRequest;
import io.stele.protocol.v1.RestoredFiles;
import io.stele.protocol.v1.TabletMove;
import io.stele.protocol.v1.TrashList;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireClusters;
import java.time.Duration;
import java.util.concurrent.ExecutorService;

/** The native service over {@link io.stele.base.table.Cluster}. */
final class ClusterService extends ClusterGrpc.ClusterImplBase {
  private final Backend backend;
  private final BlockingCalls calls;

  ClusterService(Backend backend, ExecutorService blocking) {
    this.backend = backend;
    this.calls = BlockingCalls.ofMaster(blocking);
  }

  @Override
  public void status(ClusterStatusRequest request, StreamObserver<ClusterStatus> caller) {
    calls.answer(caller, () -> WireClusters.toWire(backend.cluster().status()));
  }

  @Override
  public void balance(BalanceRequest request, StreamObserver<BalanceResponse> caller) {
    calls.answer(caller, () -> WireClusters.toWire(backend.cluster().balance(request.getApply())));
  }

  @Override
  public void drain(DrainRequest request, StreamObserver<DrainResponse> caller) {
    calls.answer(
        caller,
        () ->
            DrainResponse.newBuilder()
                .setLeft(backend.cluster().drain(request.getAddress(), !request.getUndo()))
                .build());
  }

  @Override
  public void moveTablet(MoveTabletRequest request, StreamObserver<TabletMove> caller) {
    calls.answer(
        caller,
        () ->
            WireClusters.toWire(
                backend
                    .cluster()
                    .move(
                        request.getTable(),
                        WireCells.bytes(request.getRow()),
                        request.getAddress())));
  }

  @Override
  public void collectFiles(CollectFilesRequest request, StreamObserver<ClusterGarbage> caller) {
    calls.answer(
        caller, () -> WireClusters.toWire(backend.cluster().collectFiles(request.getApply())));
  }

  @Override
  public void listTrash(ListTrashRequest request, StreamObserver<TrashList> caller) {
    calls.answer(caller, () -> WireClusters.trash(backend.cluster().trashedFiles()));
  }

  @Override
  public void restoreFiles(RestoreFilesRequest request, StreamObserver<RestoredFiles> caller) {
    calls.answer(
        caller,
        () ->
            RestoredFiles.newBuilder()
                .addAllPaths(backend.cluster().restoreFiles(request.getPath()))
                .build());
  }

  @Override
  public void emptyTrash(EmptyTrashRequest request, StreamObserver<EmptiedTrash> caller) {
    calls.answer(
        caller,
        () ->
            WireClusters.toWire(
                backend.cluster().emptyTrash(Duration.ofMillis(request.getAgeMillis()))));
  }
}
