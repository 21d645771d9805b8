package io.stele.gateway.nativeapi;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.protocol.v1.AdoptTablesAnswer;
import io.stele.protocol.v1.AdoptTablesRequest;
import io.stele.protocol.v1.ChangeMetadataRequest;
import io.stele.protocol.v1.DigestsAnswer;
import io.stele.protocol.v1.DigestsRequest;
import io.stele.protocol.v1.FillReplicaAnswer;
import io.stele.protocol.v1.FillReplicaRequest;
import io.stele.protocol.v1.MetadataFile;
import io.stele.protocol.v1.MetadataFileName;
import io.stele.protocol.v1.PartitionMap;
import io.stele.protocol.v1.PushAnswer;
import io.stele.protocol.v1.PushRequest;
import io.stele.protocol.v1.PushesAnswer;
import io.stele.protocol.v1.PushesRequest;
import io.stele.protocol.v1.RepairReplicaRequest;
import io.stele.protocol.v1.ReplicaName;
import io.stele.protocol.v1.ReplicaPeerGrpc;
import io.stele.protocol.v1.ReplicasProgress;
import io.stele.protocol.v1.ReplicatedTable;
import io.stele.protocol.v1.SplitReplicaRequest;
import io.stele.protocol.v1.SplitTabletResponse;
import io.stele.protocol.v1.StoreMetadataRequest;
import io.stele.protocol.v1.StoredCellsAnswer;
import io.stele.protocol.v1.StoredCellsRequest;
import io.stele.protocol.v1.TableDone;
import io.stele.protocol.v1.TablePredicate;
import io.stele.protocol.v1.UpkeepRequest;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WirePredicates;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;

/**
 * The native service over {@link io.stele.replicas.metadata.MetadataPeer} and {@link
 * io.stele.replicas.push.ReplicaPeer} of this server.
 */
final class ReplicaPeerService extends ReplicaPeerGrpc.ReplicaPeerImplBase {
  private static final int MOST_STORED_BYTES = 4 << 20;

  private final Backend backend;
  private final ExecutorService blocking;
  private final BlockingCalls calls;
  private final Set<PushCall> pushes = ConcurrentHashMap.newKeySet();
  private volatile boolean ending;

  ReplicaPeerService(Backend backend, ExecutorService blocking) {
    this.backend = backend;
    this.blocking = blocking;
    this.calls = new BlockingCalls(blocking);
  }

  // ---- METADATA

  @Override
  public void fetchMetadata(MetadataFileName request, StreamObserver<MetadataFile> caller) {
    calls.answer(
        caller,
        () -> {
          Optional<Bytes> file = backend.metadataPeer().fetch(request.getTable(), request.getTxn());
          MetadataFile.Builder answer = MetadataFile.newBuilder();
          file.ifPresent(bytes -> answer.setFile(WireCells.toWire(bytes)));
          return answer.build();
        });
  }

  @Override
  public void storeMetadata(StoreMetadataRequest request, StreamObserver<TableDone> caller) {
    calls.done(
        caller,
        () ->
            backend
                .metadataPeer()
                .store(request.getTable(), request.getTxn(), WireCells.bytes(request.getFile())));
  }

  @Override
  public void dropMetadata(MetadataFileName request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.metadataPeer().drop(request.getTable(), request.getTxn()));
  }

  @Override
  public void changeMetadata(ChangeMetadataRequest request, StreamObserver<PartitionMap> caller) {
    calls.answer(
        caller,
        () ->
            MetadataWire.toWire(
                backend.metadataPeer().change(request.getTable(), MetadataWire.change(request))));
  }

  @Override
  public void metadataChanged(ReplicatedTable request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.metadataPeer().changed(request.getTable()));
  }

  @Override
  public void joinMetadata(ReplicatedTable request, StreamObserver<TableDone> caller) {
    calls.done(caller, () -> backend.metadataPeer().join(request.getTable()));
  }

  @Override
  public void adoptTables(AdoptTablesRequest request, StreamObserver<AdoptTablesAnswer> caller) {
    calls.answer(
        caller,
        () ->
            AdoptTablesAnswer.newBuilder()
                .addAllLines(backend.metadataPeer().adopt(request.getForce()))
                .build());
  }

  // ---- replicas

  @Override
  public void push(PushRequest request, StreamObserver<PushAnswer> caller) {
    calls.answerLater(
        caller,
        () -> backend.replicaPeer().push(ReplicaWire.push(request)).thenApply(ReplicaWire::toWire));
  }

  @Override
  public StreamObserver<PushesRequest> pushes(StreamObserver<PushesAnswer> caller) {
    PushCall call =
        new PushCall(
            backend, (ServerCallStreamObserver<PushesAnswer>) caller, blocking, pushes::remove);
    pushes.add(call);
    if (ending) {
      call.end();
    }
    return call;
  }

  /** Ends streams, which would go on for ever, when what they brought is answered. */
  void end() {
    ending = true;
    pushes.forEach(PushCall::end);
  }

  @Override
  public void progress(ReplicaName request, StreamObserver<ReplicasProgress> caller) {
    calls.answerLater(
        caller,
        () ->
            backend
                .replicaPeer()
                .progress(request.getTable(), request.getPartition())
                .thenApply(ReplicaWire::progressToWire));
  }

  @Override
  public void storedCells(StoredCellsRequest request, StreamObserver<StoredCellsAnswer> caller) {
    calls.answerLater(
        caller,
        () -> {
          if (request.getMaxBytes() < 1) {
            throw new InvalidRequestException(
                "stored cells of at most " + request.getMaxBytes() + " bytes: must be at least 1");
          }
          return backend
              .replicaPeer()
              .stored(
                  request.getTable(),
                  request.getPartition(),
                  WirePredicates.predicate(
                      TablePredicate.newBuilder()
                          .addRows(request.getRows())
                          .addAllColumns(request.getColumnsList())
                          .build()),
                  Math.min(request.getMaxBytes(), MOST_STORED_BYTES))
              .thenApply(ReplicaWire::toWire);
        });
  }

  @Override
  public void digests(DigestsRequest request, StreamObserver<DigestsAnswer> caller) {
    calls.answerLater(
        caller,
        () ->
            backend
                .replicaPeer()
                .digests(
                    request.getTable(),
                    request.getPartition(),
                    WirePredicates.rows(request.getRows()),
                    ReplicaWire.cuts(request.getCutsList()))
                .thenApply(ReplicaWire::digestsToWire));
  }

  @Override
  public void repairReplica(RepairReplicaRequest request, StreamObserver<TableDone> caller) {
    calls.answerLater(
        caller,
        () ->
            backend
                .replicaPeer()
                .repair(
                    request.getTable(), request.getPartition(), WireCells.bytes(request.getCells()))
                .thenApply(done -> TableDone.getDefaultInstance()));
  }

  @Override
  public void fillReplica(FillReplicaRequest request, StreamObserver<FillReplicaAnswer> caller) {
    calls.answerLater(
        caller,
        () ->
            backend
                .replicaPeer()
                .fill(
                    request.getTable(),
                    request.getPartition(),
                    MetadataWire.assignment(request.getTo()),
                    request.getStore())
                .thenApply(filled -> FillReplicaAnswer.newBuilder().setFilled(filled).build()));
  }

  @Override
  public void splitHere(SplitReplicaRequest request, StreamObserver<SplitTabletResponse> caller) {
    calls.answerLater(
        caller,
        () ->
            backend
                .replicaPeer()
                .split(
                    request.getTable(), request.getPartition(), WireCells.bytes(request.getRow()))
                .thenApply(
                    row -> SplitTabletResponse.newBuilder().setRow(WireCells.toWire(row)).build()));
  }

  @Override
  public void upkeep(UpkeepRequest request, StreamObserver<TableDone> caller) {
    calls.answerLater(
        caller,
        () ->
            backend
                .replicaPeer()
                .upkeep(request.getTable(), request.getCompact())
                .thenApply(done -> TableDone.getDefaultInstance()));
  }
}
