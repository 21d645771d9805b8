package io.stele.gateway.bigtable.data;

import com.google.bigtable.v2.BigtableGrpc;
import com.google.bigtable.v2.ClientConfiguration;
import com.google.bigtable.v2.ExecuteQueryRequest;
import com.google.bigtable.v2.ExecuteQueryResponse;
import com.google.bigtable.v2.GenerateInitialChangeStreamPartitionsRequest;
import com.google.bigtable.v2.GenerateInitialChangeStreamPartitionsResponse;
import com.google.bigtable.v2.GetClientConfigurationRequest;
import com.google.bigtable.v2.PrepareQueryRequest;
import com.google.bigtable.v2.PrepareQueryResponse;
import com.google.bigtable.v2.ReadChangeStreamRequest;
import com.google.bigtable.v2.ReadChangeStreamResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;

/**
 * What Stele does not offer of the data service, and why; the calls for sessions as gRPC has it.
 */
abstract class CallsNotOffered extends BigtableGrpc.BigtableImplBase {
  private static final String CHANGES =
      "a server's log is one for all tables and goes when its changes are in files, so there is"
          + " none for others to read";
  private static final String SQL = "there is no SQL; ReadRows has all filters";

  private static <R> void refuse(StreamObserver<R> caller, String what, String why) {
    caller.onError(Status.UNIMPLEMENTED.withDescription(what + ": " + why).asRuntimeException());
  }

  @Override
  public void generateInitialChangeStreamPartitions(
      GenerateInitialChangeStreamPartitionsRequest request,
      StreamObserver<GenerateInitialChangeStreamPartitionsResponse> caller) {
    refuse(caller, "GenerateInitialChangeStreamPartitions", CHANGES);
  }

  @Override
  public void readChangeStream(
      ReadChangeStreamRequest request, StreamObserver<ReadChangeStreamResponse> caller) {
    refuse(caller, "ReadChangeStream", CHANGES);
  }

  @Override
  public void prepareQuery(
      PrepareQueryRequest request, StreamObserver<PrepareQueryResponse> caller) {
    refuse(caller, "PrepareQuery", SQL);
  }

  @Override
  public void executeQuery(
      ExecuteQueryRequest request, StreamObserver<ExecuteQueryResponse> caller) {
    refuse(caller, "ExecuteQuery", SQL);
  }

  @Override
  public void getClientConfiguration(
      GetClientConfigurationRequest request, StreamObserver<ClientConfiguration> caller) {
    refuse(
        caller,
        "GetClientConfiguration",
        "sessions are not offered, and clients go on without them");
  }
}
