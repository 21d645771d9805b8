package io.stele.gateway.bigtable.data;

import com.google.bigtable.v2.BigtableGrpc;
import com.google.bigtable.v2.CheckAndMutateRowRequest;
import com.google.bigtable.v2.CheckAndMutateRowResponse;
import com.google.bigtable.v2.ExecuteQueryRequest;
import com.google.bigtable.v2.ExecuteQueryResponse;
import com.google.bigtable.v2.FeatureFlags;
import com.google.bigtable.v2.GenerateInitialChangeStreamPartitionsRequest;
import com.google.bigtable.v2.GenerateInitialChangeStreamPartitionsResponse;
import com.google.bigtable.v2.MutateRowRequest;
import com.google.bigtable.v2.MutateRowResponse;
import com.google.bigtable.v2.MutateRowsRequest;
import com.google.bigtable.v2.MutateRowsResponse;
import com.google.bigtable.v2.PingAndWarmRequest;
import com.google.bigtable.v2.PingAndWarmResponse;
import com.google.bigtable.v2.PrepareQueryRequest;
import com.google.bigtable.v2.PrepareQueryResponse;
import com.google.bigtable.v2.ReadChangeStreamRequest;
import com.google.bigtable.v2.ReadChangeStreamResponse;
import com.google.bigtable.v2.ReadModifyWriteRowRequest;
import com.google.bigtable.v2.ReadModifyWriteRowResponse;
import com.google.bigtable.v2.ReadRowsRequest;
import com.google.bigtable.v2.ReadRowsResponse;
import com.google.bigtable.v2.SampleRowKeysRequest;
import com.google.bigtable.v2.SampleRowKeysResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.gateway.bigtable.call.BigtableCalls;
import io.stele.gateway.bigtable.call.BigtableErrors;
import io.stele.gateway.bigtable.call.ClientFeatures;
import io.stele.gateway.bigtable.name.InstanceName;
import io.stele.gateway.bigtable.name.TableName;
import io.stele.gateway.bigtable.read.ReadRowsCall;
import io.stele.gateway.bigtable.read.RowKeySamples;
import io.stele.gateway.bigtable.write.MutateRowsCall;
import io.stele.gateway.bigtable.write.RowWrites;

/**
 * Bigtable's data service over Stele's tables. Its methods are called on the network's threads, and
 * leave them at once: reads may wait for files, and writes where writers must slow down.
 */
public final class DataService extends BigtableGrpc.BigtableImplBase {
  private static final MutateRowResponse MUTATED = MutateRowResponse.getDefaultInstance();

  private final DataBackend backend;
  private final BigtableCalls calls;
  private final RowWrites writes;

  public DataService(DataBackend backend, BigtableCalls calls) {
    this.backend = backend;
    this.calls = calls;
    this.writes =
        new RowWrites(
            backend.tables(), backend.admin(), backend.types(), backend.clock(), backend.random());
  }

  // ---- reading

  @Override
  public void readRows(ReadRowsRequest request, StreamObserver<ReadRowsResponse> caller) {
    boolean tellsProgress;
    String table;
    try {
      FeatureFlags features = ClientFeatures.current();
      tellsProgress = features.getLastScannedRowResponses();
      checkReversed(request, features);
      table = table(request.getTableName(), request.getAuthorizedViewName());
      checkNoView(request.getMaterializedViewName());
    } catch (RuntimeException e) {
      caller.onError(BigtableErrors.of(e));
      return;
    }
    calls
        .threads()
        .execute(
            new ReadRowsCall(
                backend.tables(),
                table,
                request,
                (ServerCallStreamObserver<ReadRowsResponse>) caller,
                tellsProgress,
                backend.clock(),
                backend.random()));
  }

  @Override
  public void sampleRowKeys(
      SampleRowKeysRequest request, StreamObserver<SampleRowKeysResponse> caller) {
    calls.stream(
        caller,
        () -> {
          String table = table(request.getTableName(), request.getAuthorizedViewName());
          checkNoView(request.getMaterializedViewName());
          return RowKeySamples.of(backend.tables().sampleRows(table), request);
        });
  }

  // ---- writing

  @Override
  public void mutateRow(MutateRowRequest request, StreamObserver<MutateRowResponse> caller) {
    calls.answerApart(
        caller,
        () ->
            writes
                .mutate(table(request.getTableName(), request.getAuthorizedViewName()), request)
                .thenApply(_ -> MUTATED));
  }

  @Override
  public void mutateRows(MutateRowsRequest request, StreamObserver<MutateRowsResponse> caller) {
    calls.answerApart(
        caller,
        () ->
            new MutateRowsCall(
                    backend.tables(),
                    writes,
                    table(request.getTableName(), request.getAuthorizedViewName()),
                    request)
                .run());
  }

  @Override
  public void checkAndMutateRow(
      CheckAndMutateRowRequest request, StreamObserver<CheckAndMutateRowResponse> caller) {
    calls.answer(
        caller,
        () ->
            writes.checkAndMutate(
                table(request.getTableName(), request.getAuthorizedViewName()), request));
  }

  @Override
  public void readModifyWriteRow(
      ReadModifyWriteRowRequest request, StreamObserver<ReadModifyWriteRowResponse> caller) {
    calls.answer(
        caller,
        () ->
            writes.readModifyWrite(
                table(request.getTableName(), request.getAuthorizedViewName()), request));
  }

  // ---- the rest

  @Override
  public void pingAndWarm(PingAndWarmRequest request, StreamObserver<PingAndWarmResponse> caller) {
    calls.answer(
        caller,
        () -> {
          InstanceName.parse(request.getName());
          return PingAndWarmResponse.getDefaultInstance();
        });
  }

  @Override
  public void generateInitialChangeStreamPartitions(
      GenerateInitialChangeStreamPartitionsRequest request,
      StreamObserver<GenerateInitialChangeStreamPartitionsResponse> caller) {
    caller.onError(noChangeStreams());
  }

  @Override
  public void readChangeStream(
      ReadChangeStreamRequest request, StreamObserver<ReadChangeStreamResponse> caller) {
    caller.onError(noChangeStreams());
  }

  /** A log is one server's, of all its tables, and goes once they are flushed. */
  private static StatusRuntimeException noChangeStreams() {
    return Status.UNIMPLEMENTED
        .withDescription(
            "change streams: Stele's log is kept only until tables are flushed, so a table's"
                + " changes cannot be read again from it")
        .asRuntimeException();
  }

  @Override
  public void prepareQuery(
      PrepareQueryRequest request, StreamObserver<PrepareQueryResponse> caller) {
    caller.onError(noQueries());
  }

  @Override
  public void executeQuery(
      ExecuteQueryRequest request, StreamObserver<ExecuteQueryResponse> caller) {
    caller.onError(noQueries());
  }

  private static StatusRuntimeException noQueries() {
    return Status.UNIMPLEMENTED
        .withDescription("SQL: Stele reads rows by ReadRows only")
        .asRuntimeException();
  }

  /** The table that a request names. */
  private static String table(String name, String authorizedView) {
    checkNoView(authorizedView);
    return TableName.parse(name).table();
  }

  /** As the service does: a client that does not know of it might put rows in another order. */
  private static void checkReversed(ReadRowsRequest request, FeatureFlags features) {
    if (request.getReversed() && !features.getReverseScans()) {
      throw Status.UNIMPLEMENTED
          .withDescription(
              "reversed without reverse_scans in header bigtable-features: the client must say"
                  + " that it understands it")
          .asRuntimeException();
    }
  }

  private static void checkNoView(String view) {
    if (!view.isEmpty()) {
      throw Status.UNIMPLEMENTED
          .withDescription("view \"" + view + "\": Stele has tables only, and no views of them")
          .asRuntimeException();
    }
  }
}
