package io.stele.gateway.nativeapi;

import io.grpc.stub.StreamObserver;
import io.stele.base.dataset.Datasets;
import io.stele.base.error.InvalidRequestException;
import io.stele.protocol.v1.DatasetDone;
import io.stele.protocol.v1.DatasetStatusRequest;
import io.stele.protocol.v1.DatasetStatusResponse;
import io.stele.protocol.v1.DatasetsGrpc;
import io.stele.protocol.v1.ListDatasetsRequest;
import io.stele.protocol.v1.ListDatasetsResponse;
import io.stele.protocol.v1.LookUpRequest;
import io.stele.protocol.v1.LookUpResponse;
import io.stele.protocol.v1.PinDatasetRequest;
import io.stele.protocol.v1.RefreshDatasetsRequest;
import io.stele.protocol.v1.RollBackDatasetRequest;
import io.stele.protocol.v1.RollBackDatasetResponse;
import io.stele.protocol.wire.WireDatasets;
import io.stele.protocol.wire.WireLimits;
import java.util.List;
import java.util.concurrent.ExecutorService;

/** The native service over {@link Datasets}. */
final class DatasetsService extends DatasetsGrpc.DatasetsImplBase {
  private final Backend backend;
  private final BlockingCalls calls;

  DatasetsService(Backend backend, ExecutorService blocking) {
    this.backend = backend;
    this.calls = new BlockingCalls(blocking);
  }

  @Override
  public void listDatasets(
      ListDatasetsRequest request, StreamObserver<ListDatasetsResponse> caller) {
    calls.answer(
        caller,
        () -> ListDatasetsResponse.newBuilder().addAllDatasets(backend.datasets().list()).build());
  }

  @Override
  public void lookUp(LookUpRequest request, StreamObserver<LookUpResponse> caller) {
    calls.answer(
        caller,
        () -> {
          LookUpResponse response =
              WireDatasets.toWire(
                  backend.datasets().mget(request.getDataset(), WireDatasets.keys(request)));
          if (response.getSerializedSize() > WireLimits.MAX_MESSAGE_BYTES) {
            throw new InvalidRequestException(
                "the values of %d keys of dataset %s are %d bytes: one answer has at most %d, so ask"
                        .formatted(
                            request.getKeysCount(),
                            request.getDataset(),
                            response.getSerializedSize(),
                            WireLimits.MAX_MESSAGE_BYTES)
                    + " for fewer keys");
          }
          return response;
        });
  }

  @Override
  public void datasetStatus(
      DatasetStatusRequest request, StreamObserver<DatasetStatusResponse> caller) {
    calls.answer(
        caller,
        () -> {
          Datasets datasets = backend.datasets();
          return WireDatasets.statusToWire(
              request.getDataset().isEmpty()
                  ? datasets.status()
                  : List.of(datasets.status(request.getDataset())));
        });
  }

  @Override
  public void refreshDatasets(RefreshDatasetsRequest request, StreamObserver<DatasetDone> caller) {
    done(caller, () -> backend.datasets().refresh());
  }

  @Override
  public void pinDataset(PinDatasetRequest request, StreamObserver<DatasetDone> caller) {
    done(
        caller,
        () -> {
          if (request.getVersion().isEmpty()) {
            backend.datasets().unpin(request.getDataset());
          } else {
            backend.datasets().pin(request.getDataset(), request.getVersion());
          }
        });
  }

  @Override
  public void rollBackDataset(
      RollBackDatasetRequest request, StreamObserver<RollBackDatasetResponse> caller) {
    calls.answer(
        caller,
        () ->
            RollBackDatasetResponse.newBuilder()
                .setVersion(backend.datasets().rollback(request.getDataset()))
                .build());
  }

  private void done(StreamObserver<DatasetDone> caller, Runnable work) {
    calls.answer(
        caller,
        () -> {
          work.run();
          return DatasetDone.getDefaultInstance();
        });
  }
}
