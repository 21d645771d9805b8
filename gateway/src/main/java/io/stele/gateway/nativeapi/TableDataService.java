package io.stele.gateway.nativeapi;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.v1.DeleteRowsRequest;
import io.stele.protocol.v1.DeleteRowsResponse;
import io.stele.protocol.v1.ExchangeRequest;
import io.stele.protocol.v1.ExchangeResponse;
import io.stele.protocol.v1.SampleRowsResponse;
import io.stele.protocol.v1.ScanTableRequest;
import io.stele.protocol.v1.TableDataGrpc;
import io.stele.protocol.v1.TableDone;
import io.stele.protocol.v1.TablePage;
import io.stele.protocol.v1.TableRequest;
import io.stele.protocol.wire.WirePredicates;
import io.stele.protocol.wire.WireSchemas;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;

/** The native service over {@link io.stele.base.table.Tables}. */
final class TableDataService extends TableDataGrpc.TableDataImplBase {
  private final Backend backend;
  private final ExecutorService blocking;
  private final BlockingCalls calls;
  private final long incarnation;
  private final Set<ExchangeCall> exchanges = ConcurrentHashMap.newKeySet();
  private final Set<ScanCall> scans = ConcurrentHashMap.newKeySet();
  private volatile boolean ending;

  /**
   * Serves whatever stands behind.
   *
   * @param incarnation tells this server from those before it at the same address; not 0
   */
  TableDataService(Backend backend, ExecutorService blocking, long incarnation) {
    this.backend = backend;
    this.blocking = blocking;
    this.calls = new BlockingCalls(blocking);
    this.incarnation = incarnation;
  }

  @Override
  public StreamObserver<ExchangeRequest> exchange(StreamObserver<ExchangeResponse> caller) {
    ExchangeCall call =
        new ExchangeCall(
            backend,
            incarnation,
            (ServerCallStreamObserver<ExchangeResponse>) caller,
            blocking,
            exchanges::remove);
    exchanges.add(call);
    if (ending) {
      call.end();
    }
    return call;
  }

  @Override
  public void scanTable(ScanTableRequest request, StreamObserver<TablePage> caller) {
    ScanCall call = new ScanCall(backend, request, (ServerCallStreamObserver<TablePage>) caller);
    scans.add(call);
    if (ending) {
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

  @Override
  public void deleteRows(DeleteRowsRequest request, StreamObserver<DeleteRowsResponse> caller) {
    calls.answer(
        caller,
        () ->
            DeleteRowsResponse.newBuilder()
                .setDeleted(
                    backend
                        .tables()
                        .deleteRows(request.getTable(), WirePredicates.rows(request.getRows())))
                .build());
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
}
