package io.stele.gateway.nativeapi;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.RowsDeleted;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletLocation;
import io.stele.base.table.TabletLocator;
import io.stele.gateway.nativeapi.Backend.ServedTables;
import io.stele.protocol.v1.DeleteRowsRequest;
import io.stele.protocol.v1.DeleteRowsResponse;
import io.stele.protocol.v1.ExchangeRequest;
import io.stele.protocol.v1.ExchangeResponse;
import io.stele.protocol.v1.LocateTabletsRequest;
import io.stele.protocol.v1.LocateTabletsResponse;
import io.stele.protocol.v1.SampleRowsResponse;
import io.stele.protocol.v1.ScanTableRequest;
import io.stele.protocol.v1.TableDataGrpc;
import io.stele.protocol.v1.TableDone;
import io.stele.protocol.v1.TablePage;
import io.stele.protocol.v1.TableRequest;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireClusters;
import io.stele.protocol.wire.WireConsistency;
import io.stele.protocol.wire.WirePredicates;
import io.stele.protocol.wire.WireSchemas;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;

/** The native service over {@link io.stele.base.table.Tables}. */
final class TableDataService extends TableDataGrpc.TableDataImplBase {
  private static final int MOST_PLACES = 1000;

  private final Backend backend;
  private final ExecutorService blocking;
  private final BlockingCalls calls;
  private final Set<ExchangeCall> exchanges = ConcurrentHashMap.newKeySet();
  private final Set<ScanCall> scans = ConcurrentHashMap.newKeySet();
  private volatile boolean ending;

  TableDataService(Backend backend, ExecutorService blocking) {
    this.backend = backend;
    this.blocking = blocking;
    this.calls = new BlockingCalls(blocking);
  }

  @Override
  public StreamObserver<ExchangeRequest> exchange(StreamObserver<ExchangeResponse> caller) {
    ServedTables served = backend.tablesIfServed();
    ExchangeCall call =
        new ExchangeCall(
            served,
            (ServerCallStreamObserver<ExchangeResponse>) caller,
            blocking,
            exchanges::remove);
    exchanges.add(call);
    if (ending || !Objects.equals(backend.tablesIfServed(), served)) {
      call.end();
    }
    return call;
  }

  @Override
  public void scanTable(ScanTableRequest request, StreamObserver<TablePage> caller) {
    ServedTables served = backend.tablesIfServed();
    ScanCall call = new ScanCall(served, request, (ServerCallStreamObserver<TablePage>) caller);
    scans.add(call);
    if (ending || !Objects.equals(backend.tablesIfServed(), served)) {
      call.end();
    }
    blocking.execute(
        () -> {
          try {
            call.run();
          } finally {
            scans.remove(call);
          }
        });
  }

  /** Ends calls that would go on for ever, each at a place where its client can go on elsewhere. */
  void end() {
    ending = true;
    exchanges.forEach(ExchangeCall::end);
    scans.forEach(ScanCall::end);
  }

  /** Ends calls to tables that are served no more. */
  void endOthers() {
    ServedTables served = backend.tablesIfServed();
    exchanges.stream()
        .filter(call -> !Objects.equals(call.served(), served))
        .forEach(ExchangeCall::end);
    scans.stream().filter(call -> !Objects.equals(call.served(), served)).forEach(ScanCall::end);
  }

  @Override
  public void deleteRows(DeleteRowsRequest request, StreamObserver<DeleteRowsResponse> caller) {
    calls.answer(
        caller,
        () -> {
          Tables tables = tables(request);
          RowRange rows = WirePredicates.rows(request.getRows());
          RowsDeleted deleted =
              request.getInParts()
                  ? tables.deleteServedRows(request.getTable(), rows)
                  : RowsDeleted.all(tables.deleteRows(request.getTable(), rows));
          DeleteRowsResponse.Builder response =
              DeleteRowsResponse.newBuilder().setDeleted(deleted.count());
          deleted.next().ifPresent(row -> response.setNextRow(WireCells.toWire(row)));
          return response.build();
        });
  }

  private Tables tables(DeleteRowsRequest request) {
    Tables tables = backend.tables();
    return request.hasConsistency()
        ? tables.at(WireConsistency.consistency(request.getConsistency()))
        : tables;
  }

  @Override
  public void truncate(TableRequest request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.tables().truncate(request.getTable()));
  }

  @Override
  public void sampleRows(TableRequest request, StreamObserver<SampleRowsResponse> caller) {
    calls.answer(
        caller, () -> WireSchemas.samplesToWire(backend.tables().sampleRows(request.getTable())));
  }

  @Override
  public void locateTablets(
      LocateTabletsRequest request, StreamObserver<LocateTabletsResponse> caller) {
    calls.answer(
        caller,
        () -> {
          if (request.getMost() < 1) {
            throw new InvalidRequestException(
                "the places of " + request.getMost() + " tablets: must be at least 1");
          }
          LocateTabletsResponse.Builder response = LocateTabletsResponse.newBuilder();
          Optional<TabletLocator> locator = backend.locator();
          if (locator.isEmpty()) {
            return response.setAlone(true).build();
          }
          List<TabletLocation> places =
              locator
                  .get()
                  .locate(
                      request.getTable(),
                      WireCells.bytes(request.getRow()),
                      Math.min(request.getMost(), MOST_PLACES));
          if (places.stream().anyMatch(place -> place.address().equals(TabletLocation.HERE))) {
            return response.setAlone(true).build();
          }
          places.forEach(tablet -> response.addTablets(WireClusters.toWire(tablet)));
          return response.build();
        });
  }
}
