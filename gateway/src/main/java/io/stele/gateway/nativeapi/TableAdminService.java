package io.stele.gateway.nativeapi;

import io.grpc.stub.StreamObserver;
import io.stele.protocol.v1.AlterTableRequest;
import io.stele.protocol.v1.CopyTableRequest;
import io.stele.protocol.v1.CreateTableRequest;
import io.stele.protocol.v1.JoinTabletRequest;
import io.stele.protocol.v1.ListTablesRequest;
import io.stele.protocol.v1.ListTablesResponse;
import io.stele.protocol.v1.ListTabletsResponse;
import io.stele.protocol.v1.LoadFixedTableRequest;
import io.stele.protocol.v1.MetaProblems;
import io.stele.protocol.v1.RepairMetaRequest;
import io.stele.protocol.v1.SetMetaLocationRequest;
import io.stele.protocol.v1.SplitTabletRequest;
import io.stele.protocol.v1.SplitTabletResponse;
import io.stele.protocol.v1.TableAdminGrpc;
import io.stele.protocol.v1.TableDone;
import io.stele.protocol.v1.TableGroups;
import io.stele.protocol.v1.TableRequest;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireSchemas;
import java.util.Optional;
import java.util.concurrent.ExecutorService;

/** The native service over {@link io.stele.base.table.TableAdmin}. */
final class TableAdminService extends TableAdminGrpc.TableAdminImplBase {
  private final Backend backend;
  private final BlockingCalls calls;

  TableAdminService(Backend backend, ExecutorService blocking) {
    this.backend = backend;
    this.calls = BlockingCalls.ofMaster(blocking);
  }

  @Override
  public void createTable(CreateTableRequest request, StreamObserver<TableDone> caller) {
    calls.done(
        caller,
        () ->
            backend
                .tableAdmin()
                .create(
                    request.getTable(),
                    WireSchemas.schema(request.getSchema()),
                    request.getSplitsList().stream().map(WireCells::bytes).toList()));
  }

  @Override
  public void listTables(ListTablesRequest request, StreamObserver<ListTablesResponse> caller) {
    calls.answer(
        caller,
        () ->
            ListTablesResponse.newBuilder()
                .addAllTables(backend.tableAdmin().list(request.getWithMeta()))
                .build());
  }

  @Override
  public void getSchema(TableRequest request, StreamObserver<TableGroups> caller) {
    calls.answer(caller, () -> WireSchemas.toWire(backend.tableAdmin().schema(request.getTable())));
  }

  @Override
  public void listTablets(TableRequest request, StreamObserver<ListTabletsResponse> caller) {
    calls.answer(
        caller,
        () -> {
          ListTabletsResponse.Builder response = ListTabletsResponse.newBuilder();
          backend
              .tableAdmin()
              .tablets(request.getTable())
              .forEach(tablet -> response.addTablets(WireSchemas.toWire(tablet)));
          return response.build();
        });
  }

  @Override
  public void alterTable(AlterTableRequest request, StreamObserver<TableDone> caller) {
    calls.done(
        caller,
        () ->
            backend
                .tableAdmin()
                .alter(
                    request.getTable(),
                    request.hasExpected()
                        ? Optional.of(WireSchemas.schema(request.getExpected()))
                        : Optional.empty(),
                    WireSchemas.schema(request.getSchema())));
  }

  @Override
  public void dropTable(TableRequest request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.tableAdmin().drop(request.getTable()));
  }

  @Override
  public void copyTable(CopyTableRequest request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.tableAdmin().copy(request.getSource(), request.getTarget()));
  }

  @Override
  public void splitTablet(SplitTabletRequest request, StreamObserver<SplitTabletResponse> caller) {
    calls.answer(
        caller,
        () ->
            SplitTabletResponse.newBuilder()
                .setRow(
                    WireCells.toWire(
                        backend
                            .tableAdmin()
                            .split(
                                request.getTable(),
                                WireCells.bytes(request.getAt()),
                                WireCells.bytes(request.getRow()))))
                .build());
  }

  @Override
  public void joinTablet(JoinTabletRequest request, StreamObserver<TableDone> caller) {
    calls.done(
        caller,
        () -> backend.tableAdmin().join(request.getTable(), WireCells.bytes(request.getRow())));
  }

  @Override
  public void flushTable(TableRequest request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.tableAdmin().flush(request.getTable()));
  }

  @Override
  public void compactTable(TableRequest request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.tableAdmin().compact(request.getTable()));
  }

  @Override
  public void verifyMeta(TableRequest request, StreamObserver<MetaProblems> caller) {
    calls.answer(
        caller, () -> WireSchemas.toWire(backend.tableAdmin().verifyMeta(request.getTable())));
  }

  @Override
  public void repairMeta(RepairMetaRequest request, StreamObserver<MetaProblems> caller) {
    calls.answer(
        caller,
        () ->
            WireSchemas.toWire(
                backend.tableAdmin().repairMeta(request.getTable(), request.getApply())));
  }

  @Override
  public void loadFixedTable(LoadFixedTableRequest request, StreamObserver<TableDone> caller) {
    calls.done(
        caller,
        () -> backend.tableAdmin().loadFixedTable(request.getTable(), request.getConfigFile()));
  }

  @Override
  public void unloadTable(TableRequest request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.tableAdmin().unloadTable(request.getTable()));
  }

  @Override
  public void loadTable(TableRequest request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.tableAdmin().loadTable(request.getTable()));
  }

  @Override
  public void setMetaLocation(SetMetaLocationRequest request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.tableAdmin().setMetaLocation(request.getAddress()));
  }
}
