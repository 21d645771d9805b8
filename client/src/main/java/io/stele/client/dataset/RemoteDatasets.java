package io.stele.client.dataset;

import io.grpc.MethodDescriptor;
import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Datasets;
import io.stele.base.dataset.Lookup;
import io.stele.base.error.NotFoundException;
import io.stele.client.call.Caller;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.DatasetStatusRequest;
import io.stele.protocol.v1.DatasetsGrpc;
import io.stele.protocol.v1.ListDatasetsRequest;
import io.stele.protocol.v1.PinDatasetRequest;
import io.stele.protocol.v1.RefreshDatasetsRequest;
import io.stele.protocol.v1.RollBackDatasetRequest;
import io.stele.protocol.wire.WireDatasets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/**
 * Datasets of servers, of which any one answers for all. What only looks, or comes to the same if
 * it is done twice, is repeated when the connection breaks.
 */
public final class RemoteDatasets implements Datasets {
  private final Caller caller;

  /** Those of the servers that the caller calls; does not close it. */
  public RemoteDatasets(Caller caller) {
    this.caller = caller;
  }

  private <Q, R> R ask(MethodDescriptor<Q, R> method, Q request, Repeat repeat) {
    try {
      return caller.call(method, request, repeat).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : e;
    }
  }

  @Override
  public List<String> list() {
    return ask(
            DatasetsGrpc.getListDatasetsMethod(),
            ListDatasetsRequest.getDefaultInstance(),
            Repeat.READ)
        .getDatasetsList();
  }

  @Override
  public Lookup get(String dataset, Bytes key) {
    return mget(dataset, List.of(key)).getFirst();
  }

  @Override
  public List<Lookup> mget(String dataset, List<Bytes> keys) {
    return WireDatasets.lookups(
        ask(DatasetsGrpc.getLookUpMethod(), WireDatasets.toWire(dataset, keys), Repeat.READ));
  }

  @Override
  public List<DatasetStatus> status() {
    return askStatus("");
  }

  @Override
  public DatasetStatus status(String dataset) {
    return askStatus(dataset).stream()
        .findFirst()
        .orElseThrow(() -> new NotFoundException("there is no dataset \"" + dataset + "\""));
  }

  private List<DatasetStatus> askStatus(String dataset) {
    return WireDatasets.status(
        ask(
            DatasetsGrpc.getDatasetStatusMethod(),
            DatasetStatusRequest.newBuilder().setDataset(dataset).build(),
            Repeat.READ));
  }

  @Override
  public void refresh() {
    var _ =
        ask(
            DatasetsGrpc.getRefreshDatasetsMethod(),
            RefreshDatasetsRequest.getDefaultInstance(),
            Repeat.ONCE_IN_TURN);
  }

  @Override
  public void pin(String dataset, String version) {
    setPin(dataset, version);
  }

  @Override
  public void unpin(String dataset) {
    setPin(dataset, "");
  }

  private void setPin(String dataset, String version) {
    var _ =
        ask(
            DatasetsGrpc.getPinDatasetMethod(),
            PinDatasetRequest.newBuilder().setDataset(dataset).setVersion(version).build(),
            Repeat.ONCE_IN_TURN);
  }

  /** Not repeated if it may have been done: twice would be two versions back. */
  @Override
  public String rollback(String dataset) {
    return ask(
            DatasetsGrpc.getRollBackDatasetMethod(),
            RollBackDatasetRequest.newBuilder().setDataset(dataset).build(),
            Repeat.IF_NOT_DONE)
        .getVersion();
  }

  @Override
  public Optional<String> pinned(String dataset) {
    return Optional.of(status(dataset).pinned()).filter(version -> !version.isEmpty());
  }
}
