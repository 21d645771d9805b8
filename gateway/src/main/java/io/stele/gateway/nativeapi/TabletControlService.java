package io.stele.gateway.nativeapi;

import io.grpc.stub.StreamObserver;
import io.stele.base.table.Tables;
import io.stele.protocol.v1.ApplyMetaRequest;
import io.stele.protocol.v1.ApplyMetaResponse;
import io.stele.protocol.v1.JoinOrder;
import io.stele.protocol.v1.ListTabletsResponse;
import io.stele.protocol.v1.ReportRequest;
import io.stele.protocol.v1.SplitOrder;
import io.stele.protocol.v1.SplitTabletResponse;
import io.stele.protocol.v1.TableDone;
import io.stele.protocol.v1.TableOrder;
import io.stele.protocol.v1.TableRequest;
import io.stele.protocol.v1.TabletControlGrpc;
import io.stele.protocol.v1.TabletOrder;
import io.stele.protocol.v1.TabletOutcomes;
import io.stele.protocol.v1.TabletServerReport;
import io.stele.protocol.v1.TabletSnapshot;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireSchemas;
import io.stele.tables.meta.TabletCells;
import java.util.Optional;
import java.util.concurrent.ExecutorService;

/** The native service over {@link io.stele.tables.master.TabletControl}. */
final class TabletControlService extends TabletControlGrpc.TabletControlImplBase {
  private final Backend backend;
  private final BlockingCalls calls;

  TabletControlService(Backend backend, ExecutorService blocking) {
    this.backend = backend;
    this.calls = new BlockingCalls(blocking);
  }

  @Override
  public void loadTablets(TabletOrder order, StreamObserver<TabletOutcomes> caller) {
    calls.answer(
        caller,
        () ->
            ControlWire.toWire(
                backend.control().load(order.getToken(), ControlWire.tablets(order))));
  }

  @Override
  public void unloadTablets(TabletOrder order, StreamObserver<TabletOutcomes> caller) {
    calls.answer(
        caller,
        () ->
            ControlWire.toWire(
                backend.control().unload(order.getToken(), ControlWire.tablets(order))));
  }

  @Override
  public void joinTablets(JoinOrder order, StreamObserver<TableDone> caller) {
    calls.done(
        caller,
        () -> backend.control().join(order.getToken(), ControlWire.tablet(order.getLower())));
  }

  @Override
  public void splitTabletHere(SplitOrder order, StreamObserver<SplitTabletResponse> caller) {
    calls.answer(
        caller,
        () ->
            SplitTabletResponse.newBuilder()
                .setRow(
                    WireCells.toWire(
                        backend
                            .control()
                            .split(
                                order.getToken(),
                                ControlWire.tablet(order.getTablet()),
                                order.hasRow()
                                    ? Optional.of(WireCells.bytes(order.getRow()))
                                    : Optional.empty())))
                .build());
  }

  @Override
  public void reloadSchema(TableOrder order, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.control().reloadSchema(order.getToken(), order.getTable()));
  }

  @Override
  public void truncateHere(TableOrder order, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.control().truncate(order.getToken(), order.getTable()));
  }

  @Override
  public void snapshotHere(TableOrder order, StreamObserver<TabletSnapshot> caller) {
    calls.answer(
        caller,
        () ->
            TabletSnapshot.newBuilder()
                .setCells(
                    WireCells.toWire(
                        TabletCells.saveAll(
                            backend.control().snapshot(order.getToken(), order.getTable()))))
                .build());
  }

  @Override
  public void flushHere(TableRequest request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.control().flush(request.getTable()));
  }

  @Override
  public void compactHere(TableRequest request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.control().compact(request.getTable()));
  }

  @Override
  public void listTabletsHere(TableRequest request, StreamObserver<ListTabletsResponse> caller) {
    calls.answer(
        caller,
        () ->
            ListTabletsResponse.newBuilder()
                .addAllTablets(
                    backend.control().tablets(request.getTable()).stream()
                        .map(WireSchemas::toWire)
                        .toList())
                .build());
  }

  @Override
  public void applyMeta(ApplyMetaRequest request, StreamObserver<ApplyMetaResponse> caller) {
    calls.answer(
        caller,
        () ->
            ApplyMetaResponse.newBuilder()
                .setTxn(
                    backend
                        .control()
                        .applyMeta(
                            request.getMetaTable(),
                            WireCells.cells(request.getCells()),
                            request.hasCommitMaxTxn() ? request.getCommitMaxTxn() : Tables.ANY_TXN))
                .build());
  }

  @Override
  public void report(ReportRequest request, StreamObserver<TabletServerReport> caller) {
    calls.answer(caller, () -> ControlWire.toWire(backend.control().report()));
  }
}
